from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    page_size = 50
    ordering = "-created"
