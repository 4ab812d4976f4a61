import { writeFileSync } from 'node:fs'
import { schemaOfFiles } from './whole-schema.ts'

// `npm run schema`: writes data/schema/structure.sql from the numbered files.
writeFileSync('data/schema/structure.sql', schemaOfFiles())
