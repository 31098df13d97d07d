import { leaseDevice, listDevices, releaseDevice } from './devices.ts';
import { launchApp, pressKey, swipe, tap, typeText } from './input.ts';
import { findElements, getPageSource, getScreenshot } from './screen.ts';
import { getRecordingPicture, getSession, getSessionLog, listSessions } from './sessions.ts';
import { endSession, startSession } from './start-session.ts';
import type { ToolDefinition } from './tool.ts';

/** All tools, in the order in which `tools/list` returns them (contract 12). */
export const TOOLS: readonly ToolDefinition[] = [
  listDevices,
  leaseDevice,
  releaseDevice,
  listSessions,
  getSession,
  getSessionLog,
  getRecordingPicture,
  startSession,
  endSession,
  getScreenshot,
  getPageSource,
  findElements,
  tap,
  typeText,
  swipe,
  pressKey,
  launchApp,
];
