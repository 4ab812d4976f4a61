import { writeFileSync } from 'node:fs'
import { programFile } from '../../data/program.ts'
import { answerValidatorsModule } from './answer-validators.ts'

/** The last step of a build with tests: what each of their processes would otherwise spend a third of a second on. */
writeFileSync(programFile('test/support/answer-validators.cjs'), answerValidatorsModule())
