import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'
import { programFile } from '../../data/program.ts'

const codeFile = programFile('test/support/response-validators.cjs')
const compiledFile = programFile('test/support/response-validators.compiled')

/** Writes the code of a CommonJS module, and what V8 compiles it to. */
export function writeBuiltValidators(moduleCode: string): void {
  const code = `(function (exports, require, module) {${moduleCode}\n})`
  writeFileSync(codeFile, code)
  writeFileSync(compiledFile, new Script(code).createCachedData())
}

/** Returns what the module exports. Another version of Node compiles it again. */
export function loadBuiltValidators(): unknown {
  const code = readFileSync(codeFile, 'utf8')
  const script = new Script(code, { filename: codeFile.pathname, cachedData: readFileSync(compiledFile) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(codeFile), module)
  return module.exports
}
