import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { CompilerOptions } from 'typescript'
import { isSource } from './running-form.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The folder of the code as plain JavaScript, which Node starts several times faster than sources: where this runs from
 * when it was built; else made in the test's folder (which it may have for nothing else), types stripped, not checked.
 */
export async function plainCode(t: Test): Promise<string> {
  if (!isSource) return root
  const { default: ts } = await import('typescript')
  const folder = join(t.testdir(), 'code')
  const options: CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    rewriteRelativeImportExtensions: true,
    verbatimModuleSyntax: true,
  }
  for (const top of ['core', 'data', 'server', 'test/support', 'test/server/durability']) {
    for (const name of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
      const source = readFileSync(join(root, top, name), 'utf8')
      const path = join(folder, top, name.replace(/\.ts$/, '.js'))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, ts.transpileModule(source, { compilerOptions: options }).outputText)
    }
  }
  for (const plain of ['data/schema', 'server/web/assets'])
    cpSync(join(root, plain), join(folder, plain), { recursive: true })
  return folder
}
