"""`/session/notifications`: what waits for whoever is signed in."""

from dataclasses import asdict

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.models import User
from accounts.permissions import needs
from accounts.rights import Right
from core.forms import ChangeSerializer, validated
from notifications.models import NotificationSettings
from notifications.waiting import KINDS, waiting_for


class NotificationSerializer(serializers.Serializer[None]):
    key = serializers.CharField(help_text="names the cause; it stays the same for as long as that waits")
    kind = serializers.ChoiceField(choices=KINDS)
    title = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    path = serializers.CharField(help_text="the page of the web application where you can do it")
    project = serializers.CharField(allow_blank=True, help_text="empty for the platform's own jobs")
    at = serializers.DateTimeField(help_text="when it began to wait")
    seen = serializers.BooleanField(help_text="whether it had begun to wait when you last marked the list as seen")


class NotificationsSerializer(serializers.Serializer[None]):
    results = NotificationSerializer(many=True)
    unseen = serializers.IntegerField()
    left_out = serializers.IntegerField(
        help_text="older queues, comments, jobs and rounds that were not looked at, beyond the newest 50 of each"
    )
    mail = serializers.BooleanField(help_text="whether you want mail about them")
    mail_to = serializers.CharField(
        allow_null=True, help_text="where mail goes; null if you have no address or the platform has no mail server"
    )


class NotificationsChangeSerializer(ChangeSerializer):
    seen = serializers.ChoiceField(choices=[True], required=False, help_text="mark all that wait now as seen")
    mail = serializers.BooleanField(required=False, help_text="whether you want mail about what waits for you")


class Notifications(APIView):
    rights = needs(GET=Right.SEE, PATCH=Right.SEE)

    @extend_schema(operation_id="notifications_get", responses=NotificationsSerializer)
    def get(self, request: Request) -> Response:
        """List what waits for you, newest first: images to label or review, answers to commit, comments that mention
        you, failed jobs and rounds, and models to decide about. What is done waits no longer."""
        return Response(_document(caller(request)))

    @extend_schema(
        operation_id="notifications_change", request=NotificationsChangeSerializer, responses=NotificationsSerializer
    )
    def patch(self, request: Request) -> Response:
        """Mark the list as seen, or choose whether you get mail about it (at most one an hour)."""
        given, user = validated(NotificationsChangeSerializer, request), caller(request)
        changes = {name: value for name, value in given.items() if name == "mail"}
        if "seen" in given:
            changes["seen"] = timezone.now()
        choice, _ = NotificationSettings.objects.update_or_create(user=user, defaults=changes)
        user.notification_settings = choice
        return Response(_document(user))


def _document(user: User) -> dict[str, object]:
    choice, waiting = NotificationSettings.of(user), waiting_for(user)
    results = [
        asdict(notification) | {"seen": choice.seen is not None and notification.at <= choice.seen}
        for notification in waiting.notifications
    ]
    return {
        "results": results,
        "unseen": sum(not result["seen"] for result in results),
        "left_out": waiting.left_out,
        "mail": choice.mail,
        "mail_to": (settings.EMAIL_HOST and user.email) or None,
    }
