"""Signals about people, for apps that hold something for them."""

from django.dispatch import Signal

# Sent inside the transaction that takes a person off the platform or out of a project, or changes their role, with the
# changed `person`. A receiver ends what they hold and may no longer hold.
rights_lost = Signal()
