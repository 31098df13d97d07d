"""The scenario of tests/clients/same-script.test.ts for Appium-Python-Client: scenario.py <address of the server>"""

import json
import os
import sys

from appium import webdriver
from appium.options.common import AppiumOptions
from appium.webdriver.client_config import AppiumClientConfig
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import InvalidSessionIdException, NoSuchElementException, WebDriverException

from svc_lab import LabConnection

env = os.environ


def pair(prefix):
    return {"accessKey": env[f"{prefix}_ACCESS_KEY"], "token": env[f"{prefix}_TOKEN"]}


def headers_of(credentials):
    return {"x-svc-access-key": credentials["accessKey"], "x-svc-token": credentials["token"]}


own, other = pair("SVC"), pair("SVC_OTHER")
sent = headers_of(own)
wanted = json.loads(env["SVC_CAPABILITIES"])


def create(credentials):
    capabilities = {**wanted, **({"svc:options": credentials} if credentials else {})}
    config = AppiumClientConfig(remote_server_addr=sys.argv[1])
    connection = LabConnection(config, lambda: sent)
    return webdriver.Remote(command_executor=connection, options=AppiumOptions().load_capabilities(capabilities))


def tell(step, result):
    print(f"{step}: {str(result).lower() if isinstance(result, bool) else result}", flush=True)


def refusal(act):
    try:
        act()
        return "let through"
    except InvalidSessionIdException:
        return "invalid session id"
    except WebDriverException as error:
        return "session rejected" if "session rejected" in str(error) else repr(error)


tell("created without credentials", refusal(lambda: create(None)))
phone = create(own)
tell("created", len(phone.session_id) > 0)
tell("credentials in the answer", own["token"] in json.dumps(phone.capabilities))
field = phone.find_element(AppiumBy.ID, "search")
field.click()
field.send_keys("plumber")
tell("typed", field.text)
tell("rows", len(phone.find_elements(AppiumBy.XPATH, "//row")))
try:
    phone.find_element(AppiumBy.ID, "nothing")
    tell("missing", "found")
except NoSuchElementException:
    tell("missing", "no such element")
tell("source", "Groceries" in phone.page_source)
sent = headers_of(other)
tell("of another owner", refusal(lambda: phone.page_source))
sent = {}
tell("of a stranger", refusal(lambda: phone.page_source))
sent = headers_of(own)
tell("still there", "Groceries" in phone.page_source)
gone = phone.session_id
phone.quit()
phone.session_id = gone
tell("after quit", refusal(lambda: phone.page_source))
