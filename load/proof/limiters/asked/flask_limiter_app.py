"""Flask-Limiter with its headers. FORM: the strategy, and "redis" after it to keep the counts there."""

import logging
import os

from flask import Flask, request
from flask_limiter import Limiter

strategy, *store = os.environ["FORM"].split()
app = Flask(__name__)
Limiter(
    key_func=lambda: request.headers["X-Bucket"],
    app=app,
    default_limits=[f"{os.environ['QUOTA']} per {os.environ['WINDOW_SECONDS']} second"],
    strategy=strategy,
    headers_enabled=True,
    storage_uri=os.environ["REDIS_URL"] if store else "memory://",
    key_prefix=os.environ["PREFIX"],
)


@app.route("/")
def admitted():
    return "", 204


logging.getLogger("werkzeug").disabled = True
# Its memory is not safe among threads.
app.run("127.0.0.1", int(os.environ["PORT"]), threaded=False)
