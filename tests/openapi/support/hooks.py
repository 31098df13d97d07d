"""Facts about this API that Schemathesis needs and that are not in the document."""

import atexit
import json
import os
from collections import Counter, defaultdict

import schemathesis

PAIR = json.loads(os.environ["SVC_PAIR"])
COOKIE = json.loads(os.environ["SVC_COOKIE"])
SIGN_IN_ONLY = os.environ["SVC_SIGN_IN_ONLY"].split(",")
CARRIES = {"authorization", "cookie", *PAIR}
KEPT = os.environ["SVC_KEPT_IDS"].split(",")
answered: dict[str, Counter[str]] = defaultdict(Counter)


@schemathesis.auth()
class Credential:
    """Returns a key pair, or a sign-in if one is required or if the operation rotates the access key
    of the pair.
    """

    def get(self, case, ctx):
        return PAIR

    def set(self, case, data, ctx):
        by_sign_in = ctx.operation.definition.raw["operationId"] in SIGN_IN_ONLY
        others = {name: value for name, value in case.headers.items() if name.lower() not in CARRIES}
        case.headers = others if by_sign_in else {**others, **data}
        case.cookies = COOKIE if by_sign_in else {}


@schemathesis.hook
def filter_case(context, case):
    """Skips cases that would change the account or the key that the run itself uses."""
    named = json.dumps([str(case.path_parameters), str(case.body)], default=str)
    return not any(each in named for each in KEPT)


@schemathesis.check
def documented_code(ctx, response, case):
    """The code of a refusal must be among those that the operation documents for its status (contract 1)."""
    answered[case.operation.label][str(response.status_code)] += 1
    media = response.headers.get("content-type", [""])[0]
    if response.status_code < 400 or not media.startswith("application/json"):
        return
    body = response.json()
    if "error" not in body:
        return
    documented = examples_of(case.operation, response.status_code)
    word = "".join(c if c.isalnum() else "_" for c in body["error"].lower())
    while "__" in word:
        word = word.replace("__", "_")
    assert word.strip("_") in documented, f"{body['error']} is not documented for {response.status_code}"


def examples_of(operation, status):
    found = operation.definition.raw["responses"].get(str(status), {})
    if "$ref" in found:
        found = operation.schema.raw_schema["components"]["responses"][found["$ref"].rsplit("/", 1)[1]]
    return found.get("content", {}).get("application/json", {}).get("examples", {})


@atexit.register
def write_answers():
    with open(os.environ["SVC_ANSWERED_FILE"], "w") as file:
        json.dump(answered, file)
