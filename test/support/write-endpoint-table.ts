import { writeFileSync } from 'node:fs'
import { endpointsOfRoutes } from './app-endpoints.ts'
import { endpointTable } from './endpoint-table.ts'

// `npm run endpoints`: writes docs/api.md from the routes.
writeFileSync('docs/api.md', endpointTable(endpointsOfRoutes()))
