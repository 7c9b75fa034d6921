"""What a worker does for notices once a minute (settings.EACH_MINUTE)."""

from leaderboard.people.notices.deliveries import forget_old_deliveries
from leaderboard.people.notices.mailing import mail_due
from leaderboard.people.notices.telling import tell_people


def tell_and_mail() -> int:
    """What happened is told, and what is due mailed; 0: there is nothing whose memory was worth
    giving back."""
    tell_people()
    mail_due()
    forget_old_deliveries()
    return 0
