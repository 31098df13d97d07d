/** Appium's command names by method and route below a session. `*` is one segment of a path, such as an element id. */
export const APPIUM_COMMANDS: Readonly<Record<string, string>> = {
  'GET ': 'getSession',
  'DELETE ': 'deleteSession',
  'GET /timeouts': 'getTimeouts',
  'POST /timeouts': 'timeouts',
  'GET /url': 'getUrl',
  'POST /url': 'setUrl',
  'POST /forward': 'forward',
  'POST /back': 'back',
  'POST /refresh': 'refresh',
  'GET /title': 'title',
  'GET /window': 'getWindowHandle',
  'POST /window': 'setWindow',
  'DELETE /window': 'closeWindow',
  'GET /window/handles': 'getWindowHandles',
  'POST /window/new': 'createNewWindow',
  'POST /frame': 'setFrame',
  'POST /frame/parent': 'switchToParentFrame',
  'GET /window/rect': 'getWindowRect',
  'POST /window/rect': 'setWindowRect',
  'POST /window/maximize': 'maximizeWindow',
  'POST /window/minimize': 'minimizeWindow',
  'POST /window/fullscreen': 'fullScreenWindow',
  'GET /element/active': 'active',
  'GET /element/*/shadow': 'elementShadowRoot',
  'POST /element': 'findElement',
  'POST /elements': 'findElements',
  'POST /element/*/element': 'findElementFromElement',
  'POST /element/*/elements': 'findElementsFromElement',
  'POST /shadow/*/element': 'findElementFromShadowRoot',
  'POST /shadow/*/elements': 'findElementsFromShadowRoot',
  'GET /element/*/selected': 'elementSelected',
  'GET /element/*/displayed': 'elementDisplayed',
  'GET /element/*/attribute/*': 'getAttribute',
  'GET /element/*/property/*': 'getProperty',
  'GET /element/*/css/*': 'getCssProperty',
  'GET /element/*/text': 'getText',
  'GET /element/*/name': 'getName',
  'GET /element/*/rect': 'getElementRect',
  'GET /element/*/enabled': 'elementEnabled',
  'GET /element/*/computedrole': 'getComputedRole',
  'GET /element/*/computedlabel': 'getComputedLabel',
  'POST /element/*/click': 'click',
  'POST /element/*/clear': 'clear',
  'POST /element/*/value': 'setValue',
  'GET /source': 'getPageSource',
  'POST /execute/sync': 'execute',
  'POST /execute/async': 'executeAsync',
  'GET /cookie': 'getCookies',
  'POST /cookie': 'setCookie',
  'DELETE /cookie': 'deleteCookies',
  'GET /cookie/*': 'getCookie',
  'DELETE /cookie/*': 'deleteCookie',
  'POST /actions': 'performActions',
  'DELETE /actions': 'releaseActions',
  'POST /alert/dismiss': 'postDismissAlert',
  'POST /alert/accept': 'postAcceptAlert',
  'GET /alert/text': 'getAlertText',
  'POST /alert/text': 'setAlertText',
  'GET /screenshot': 'getScreenshot',
  'GET /element/*/screenshot': 'getElementScreenshot',
  'POST /print': 'printPage',
  'GET /ime/available_engines': 'availableIMEEngines',
  'GET /ime/active_engine': 'getActiveIMEEngine',
  'GET /ime/activated': 'isIMEActivated',
  'POST /ime/deactivate': 'deactivateIMEEngine',
  'POST /ime/activate': 'activateIMEEngine',
  'GET /orientation': 'getOrientation',
  'POST /orientation': 'setOrientation',
  'GET /location': 'getGeoLocation',
  'POST /location': 'setGeoLocation',
  'POST /receive_async_response': 'receiveAsyncResponse',
  'GET /rotation': 'getRotation',
  'POST /rotation': 'setRotation',
  'GET /context': 'getCurrentContext',
  'POST /context': 'setContext',
  'GET /contexts': 'getContexts',
  'GET /network_connection': 'getNetworkConnection',
  'POST /network_connection': 'setNetworkConnection',
  'GET /appium/context': 'getCurrentContext',
  'POST /appium/context': 'setContext',
  'GET /appium/contexts': 'getContexts',
  'GET /appium/capabilities': 'getAppiumSessionCapabilities',
  'POST /appium/settings': 'updateSettings',
  'GET /appium/settings': 'getSettings',
  'GET /appium/commands': 'listCommands',
  'GET /appium/extensions': 'listExtensions',
  'POST /appium/events': 'getLogEvents',
  'POST /appium/log_event': 'logCustomEvent',
  'GET /appium/device/rotation': 'getRotation',
  'POST /appium/device/rotation': 'setRotation',
  'GET /appium/device/orientation': 'getOrientation',
  'POST /appium/device/orientation': 'setOrientation',
  'GET /appium/device/system_time': 'getDeviceTime',
  'POST /appium/device/system_time': 'getDeviceTime',
  'POST /appium/device/activate_app': 'activateApp',
  'POST /appium/device/terminate_app': 'terminateApp',
  'POST /appium/device/app_state': 'queryAppState',
  'POST /appium/device/install_app': 'installApp',
  'POST /appium/device/remove_app': 'removeApp',
  'POST /appium/device/app_installed': 'isAppInstalled',
  'POST /appium/device/hide_keyboard': 'hideKeyboard',
  'GET /appium/device/is_keyboard_shown': 'isKeyboardShown',
  'POST /appium/device/push_file': 'pushFile',
  'POST /appium/device/pull_file': 'pullFile',
  'POST /appium/device/pull_folder': 'pullFolder',
  'POST /permissions': 'setPermissions',
  'POST /deviceposture': 'setDevicePosture',
  'DELETE /deviceposture': 'clearDevicePosture',
  'POST /sensor': 'createVirtualSensor',
  'GET /sensor/*': 'getVirtualSensorInfo',
  'POST /sensor/*': 'updateVirtualSensorReading',
  'DELETE /sensor/*': 'deleteVirtualSensor',
  'POST /webauthn/authenticator': 'addVirtualAuthenticator',
  'DELETE /webauthn/authenticator/*': 'removeVirtualAuthenticator',
  'POST /webauthn/authenticator/*/credential': 'addAuthCredential',
  'GET /webauthn/authenticator/*/credentials': 'getAuthCredential',
  'DELETE /webauthn/authenticator/*/credentials': 'removeAllAuthCredentials',
  'DELETE /webauthn/authenticator/*/credentials/*': 'removeAuthCredential',
  'POST /webauthn/authenticator/*/uv': 'setUserAuthVerified',
  'POST /secure-payment-confirmation/set-mode': 'setSPCTransactionMode',
  'POST /fedcm/canceldialog': 'fedCMCancelDialog',
  'POST /fedcm/selectaccount': 'fedCMSelectAccount',
  'POST /fedcm/clickdialogbutton': 'fedCMClickDialogButton',
  'GET /fedcm/accountlist': 'fedCMGetAccounts',
  'GET /fedcm/gettitle': 'fedCMGetTitle',
  'GET /fedcm/getdialogtype': 'fedCMGetDialogType',
  'POST /fedcm/setdelayenabled': 'fedCMSetDelayEnabled',
  'POST /fedcm/resetcooldown': 'fedCMResetCooldown',
  'POST /pressuresource': 'createVirtualPressureSource',
  'POST /pressuresource/*': 'updateVirtualPressureSource',
  'DELETE /pressuresource/*': 'deleteVirtualPressureSource',
  'GET /privacy': 'getGlobalPrivacyControl',
  'POST /privacy': 'setGlobalPrivacyControl',
  'POST /reporting/generate_test_report': 'generateTestReport',
  'POST /se/log': 'getLog',
  'GET /se/log/types': 'getLogTypes',
  'POST /*/cdp/execute': 'executeCdp',
  'POST /custom-handlers/set-mode': 'setRPHRegistrationMode',
  'POST /storageaccess': 'setStorageAccess',
};

/** Route of inputs that a person sends from the Phones page: text, taps and clipboard texts. */
const CONTROL_ROUTE = /^\/svc\/api\/control\/[^/]+\/(text|tap|clipboard)$/;

/**
 * Routes with a `*`, by method and number of segments. They are split into segments when the first command is
 * described.
 */
let patterns: Map<string, { readonly parts: readonly string[]; readonly name: string }[]> | undefined;

/**
 * Returns Appium's name of a command, such as `findElement`. If Appium has no name for it, returns method and route.
 * @param route the path after the session id, in lower case, without a trailing slash
 */
export function commandName(method: string, route: string): string {
  const control = CONTROL_ROUTE.exec(route)?.[1];
  if (control !== undefined) return control;
  const key = `${method} ${route}`;
  return APPIUM_COMMANDS[key] ?? nameByPattern(method, route) ?? key.trim();
}

function nameByPattern(method: string, route: string): string | undefined {
  patterns ??= splitPatterns();
  const given = route.split('/');
  const candidates = patterns.get(`${method} ${given.length}`) ?? [];
  return candidates.find(({ parts }) => parts.every((part, at) => part === '*' || part === given[at]))?.name;
}

function splitPatterns(): NonNullable<typeof patterns> {
  const split: NonNullable<typeof patterns> = new Map();
  for (const [key, name] of Object.entries(APPIUM_COMMANDS)) {
    if (!key.includes('*')) continue;
    const [method = '', route = ''] = key.split(' ');
    const parts = route.toLowerCase().split('/');
    const length = `${method} ${parts.length}`;
    split.set(length, [...(split.get(length) ?? []), { parts, name }]);
  }
  return split;
}
