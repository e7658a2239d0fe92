#!/usr/bin/env node
// From Node 22.1 on, compiled code is kept for the next start.
process.getBuiltinModule('node:module').enableCompileCache?.()
import('../dist/cli.js')
