from django.urls import path

from core.query_parameters import takes
from publishing.api import git, remote, rows

urlpatterns = [
    route
    for kind in ("datasets", "models")
    for route in (
        path(f"{kind}/<str:name>.git/info/refs", takes("service")(git.info_refs), {"kind": kind}),
        path(f"{kind}/<str:name>.git/git-upload-pack", takes()(git.fetch), {"kind": kind}),
        path(f"{kind}/<str:name>.git/git-receive-pack", takes()(git.refused), {"kind": kind}),
        path(f"{kind}/<str:reference>/accesses", rows.Accesses.as_view(), {"kind": kind}),
        path(f"{kind}/<str:reference>/read-key", rows.ReadKey.as_view(), {"kind": kind}),
        path(f"{kind}/<str:reference>/versions/<str:number>/materialise", rows.Materialise.as_view(), {"kind": kind}),
        path(f"dvc/{kind}/<str:name>/files/md5", takes()(remote.folder), {"kind": kind}),
        path(f"dvc/{kind}/<str:name>/files/md5/<str:head>/<str:rest>", takes()(remote.stored), {"kind": kind}),
    )
]
