"""What happens to people, for those who keep something on their behalf."""

from django.dispatch import Signal

# Inside the transaction that takes somebody off the platform, or takes the right to read datasets from them: `person`,
# as they are from now on. A receiver ends what they still hold.
rights_lost = Signal()
