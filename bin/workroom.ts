#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'

// The code is bundled; stack traces refer to the sources.
process.setSourceMapsEnabled(true)
process.exitCode = await runCommandLine(process.argv.slice(2), process)
