import { writeBuiltValidators } from './built-validators.ts'
import { responseValidatorsModule } from './response-validators.ts'

// The last step of a build with tests; it saves each test process half a second.
writeBuiltValidators(responseValidatorsModule())
