#!/usr/bin/env node
import { processIo, runProxy } from '@svc/client/proxy';

process.exitCode = await runProxy(process.argv.slice(2), process.env, processIo());
