"""What happens to people, for those who keep something on their behalf."""

from django.dispatch import Signal

# Inside the transaction that takes somebody off the platform or out of a project, or gives them another role: `person`,
# as they are from now on. A receiver ends what they hold and may hold no more.
rights_lost = Signal()
