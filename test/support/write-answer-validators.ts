import { answerValidatorsModule } from './answer-validators.ts'
import { writeBuiltValidators } from './built-validators.ts'

// The last step of a build with tests; it saves each test process half a second.
writeBuiltValidators(answerValidatorsModule())
