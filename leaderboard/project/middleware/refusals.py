"""The pages of two refusals that Django answers with an empty page, or with a traceback in the log:
a method that an address does not take, and a request of which a view says what is wrong."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from benchmarks.api.problem_details import asks_for_documents


class RefusalPagesMiddleware(MiddlewareMixin):
    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if isinstance(response, HttpResponseNotAllowed) and not asks_for_documents(request):
            told = {"takes": response["Allow"]}
            response.content = render_to_string("405.html", told, request)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, BadRequest):
            return None
        return render(request, "400.html", {"sentence": str(error)}, status=400)
