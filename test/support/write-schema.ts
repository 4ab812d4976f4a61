import { writeFileSync } from 'node:fs'
import { schemaOfFiles } from './whole-schema.ts'

/** `npm run schema`: writes data/schema/latest.sql from the numbered files. */
writeFileSync('data/schema/latest.sql', schemaOfFiles())
