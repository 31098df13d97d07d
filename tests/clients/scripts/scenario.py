"""The scenario of tests/clients/same-script.test.ts for Appium-Python-Client: scenario.py <address of the server>"""

import json
import os
import sys

from appium import webdriver
from appium.options.common import AppiumOptions
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import InvalidSessionIdException, NoSuchElementException, WebDriverException

from appium_svc import AppiumConnection, Client

env = os.environ
address = sys.argv[1]


def connection(prefix):
    """Returns a connection with the key pair of these variables, or without credentials if there is no prefix."""
    pair = {"access_key": env[f"{prefix}_ACCESS_KEY"], "token": env[f"{prefix}_TOKEN"]} if prefix else {}
    return AppiumConnection(Client(address, **pair), base_path=None if prefix else "")


own, other, stranger = connection("SVC"), connection("SVC_OTHER"), connection(None)
wanted = json.loads(env["SVC_CAPABILITIES"])


def create(through):
    return webdriver.Remote(command_executor=through, options=AppiumOptions().load_capabilities(wanted))


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


tell("created without credentials", refusal(lambda: create(stranger)))
phone = create(own)
tell("created", len(phone.session_id) > 0)
tell("credentials in the answer", env["SVC_TOKEN"] in json.dumps(phone.capabilities))
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
phone.command_executor = other
tell("of another owner", refusal(lambda: phone.page_source))
phone.command_executor = stranger
tell("of a stranger", refusal(lambda: phone.page_source))
phone.command_executor = own
tell("still there", "Groceries" in phone.page_source)
gone = phone.session_id
phone.quit()
phone.session_id = gone
tell("after quit", refusal(lambda: phone.page_source))
