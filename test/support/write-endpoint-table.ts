import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultConfig } from '../../core/config.ts'
import { openWorkspace } from '../../core/workspace/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { endpointsOfApp } from './app-endpoints.ts'
import { withEndpointTable } from './endpoint-table.ts'

/** `npm run endpoints`: writes the README's table of endpoints from the routes. What each does is written by hand. */
const home = mkdtempSync(join(tmpdir(), 'workroom-'))
await createWorkspace({ home, name: 'Nowhere', owner: 'Nobody' })
const workspace = await openWorkspace({ home, config: defaultConfig })
const table = withEndpointTable(readFileSync('README.md', 'utf8'), endpointsOfApp(workspace))
await workspace.close()
rmSync(home, { recursive: true })
writeFileSync('README.md', table)
