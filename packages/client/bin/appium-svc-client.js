#!/usr/bin/env node
import { commandIo, runCommand } from '@svc/client/command';

process.exitCode = await runCommand(process.argv.slice(2), process.env, commandIo());
