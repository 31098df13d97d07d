"""A bearer token that expires earlier than its client believes, as if the machine's clock had moved back."""

import time

from appium import webdriver
from appium.options.common import AppiumOptions
from selenium.common.exceptions import InvalidSessionIdException

from appium_svc import AppiumConnection, Client

client = Client.from_env()
wanted = client.capabilities()["webDriver"]["example"]
bearer = client.bearer()
first = bearer.token()
bearer._clock = lambda: bearer._held.asked_at
driver = webdriver.Remote(
    command_executor=AppiumConnection(client), options=AppiumOptions().load_capabilities(wanted)
)
print("created")
while client.accepts(first):
    time.sleep(0.1)
print("ended")
assert len(driver.page_source) > 0
assert bearer.token() != first
print("answered with another")
session = driver.session_id
driver.quit()
driver.session_id = session
try:
    driver.page_source
except InvalidSessionIdException:
    print("over is over")
