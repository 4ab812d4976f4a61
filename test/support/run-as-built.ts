import { isSource, programModule } from '../../data/program.ts'

export { isSource }

/** The Node arguments that another process needs to run our code. */
export const loaderArguments: readonly string[] = isSource ? ['--import', 'tsx'] : []

/** The URL of a module, built or as source. @param path its source path in the repository */
export const moduleUrl = (path: string): string => programModule(path).href
