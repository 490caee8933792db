"""Throttles of Django REST framework. FORM: "account", or "scope", which counts by address as they do when nobody is logged in."""

import os
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

settings.configure(
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="not used",
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_PERMISSION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.urls import path
from rest_framework.response import Response
from rest_framework.throttling import ScopedRateThrottle, SimpleRateThrottle
from rest_framework.views import APIView


class Rate:
    # A rate such as "40/min" knows no other windows than a second, a minute, an hour and a day.
    rate = "declared"

    def parse_rate(self, rate):
        return int(os.environ["QUOTA"]), int(os.environ["WINDOW_SECONDS"])


class AccountThrottle(Rate, SimpleRateThrottle):
    def get_cache_key(self, request, view):
        return request.headers["X-Bucket"]


class ScopeThrottle(Rate, ScopedRateThrottle):
    def get_rate(self):
        return self.rate

    def allow_request(self, request, view):
        view.throttle_scope = request.headers["X-Operation"]
        return super().allow_request(request, view)


class Admitted(APIView):
    throttle_classes = [{"account": AccountThrottle, "scope": ScopeThrottle}[os.environ["FORM"]]]

    def get(self, request):
        return Response(status=204)


class Server(WSGIServer):
    request_queue_size = 128


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


urlpatterns = [path("", Admitted.as_view())]
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application(), Server, Quiet).serve_forever()
