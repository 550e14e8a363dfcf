from django.urls import path

from accounts.api import audit, oidc, people, projects, sessions

urlpatterns = [
    path("audit", audit.Audit.as_view()),
    path("audit/export", audit.AuditExport.as_view()),
    path("session", sessions.Session.as_view()),
    path("session/options", oidc.SignInOptions.as_view()),
    path("session/oidc", oidc.start),
    path("session/oidc/callback", oidc.callback),
    path("session/preferences", sessions.SessionPreferences.as_view()),
    path("people", people.People.as_view()),
    path("people/<str:reference>", people.Person.as_view()),
    path("people/<str:reference>/tokens", people.Tokens.as_view()),
    path("people/<str:reference>/tokens/<int:pk>", people.Token.as_view()),
    path("projects", projects.Projects.as_view()),
    path("projects/<str:reference>", projects.Project.as_view()),
    path("projects/<str:reference>/members", projects.Members.as_view()),
    path("projects/<str:reference>/members/<str:person>", projects.Member.as_view()),
]
