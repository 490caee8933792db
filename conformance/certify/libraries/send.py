"""Sends one POST as an application would: send.py LIBRARY BASE CASE."""
import asyncio, importlib, platform, sys
from urllib import request

library, base, case = sys.argv[1:]
url, warm, body = f"{base}/{case}", f"{base}/warm", {"tool_id": "weather.current.v1"}
kept = case == "kept"

def with_requests(retries=None):
    import requests
    from requests.adapters import HTTPAdapter
    session = requests.Session()
    if retries is not None:
        session.mount("http://", HTTPAdapter(max_retries=retries))
    if kept:
        session.get(warm)
    session.post(url, json=body)

def retry(**settings):
    from urllib3.util import Retry
    return Retry(total=2, backoff_factor=0, **settings)

def with_urllib3(retries=None):
    import json, urllib3
    pool = urllib3.PoolManager() if retries is None else urllib3.PoolManager(retries=retries)
    if kept:
        pool.request("GET", warm)
    pool.request("POST", url, body=json.dumps(body), headers={"content-type": "application/json"})

def with_httpx(**settings):
    import httpx
    with httpx.Client(transport=httpx.HTTPTransport(**settings)) as client:
        if kept:
            client.get(warm)
        client.post(url, json=body)

async def with_aiohttp():
    import aiohttp
    async with aiohttp.ClientSession() as session:
        if kept:
            async with session.get(warm) as answer:
                await answer.read()
        async with session.post(url, json=body) as answer:
            await answer.read()

def with_tenacity():
    from tenacity import retry as again, stop_after_attempt
    def send():
        import requests
        requests.post(url, json=body).raise_for_status()
    again(stop=stop_after_attempt(3))(send)()

libraries = {
    "urllib.request": lambda: request.urlopen(request.Request(url, b"{}", {"content-type": "application/json"})),
    "requests": with_requests,
    "requests, max_retries=Retry(2)": lambda: with_requests(retry()),
    "requests, Retry(allowed_methods=None, status_forcelist=[503])": lambda: with_requests(
        retry(allowed_methods=None, status_forcelist=[503])
    ),
    "urllib3": with_urllib3,
    "urllib3, Retry(allowed_methods=None)": lambda: with_urllib3(retry(allowed_methods=None)),
    "httpx": with_httpx,
    "httpx, HTTPTransport(retries=2)": lambda: with_httpx(retries=2),
    "aiohttp": lambda: asyncio.run(with_aiohttp()),
    "tenacity around requests": with_tenacity,
}

name = library.split(",")[0].split(" ")[0]
if case == "version":
    from importlib import metadata
    print(f"Python {platform.python_version()}" if name == "urllib.request" else metadata.version(name))
else:
    try:
        libraries[library]()
    except Exception as error:
        print(repr(error), file=sys.stderr)
