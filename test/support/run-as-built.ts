import { isSource, programModule } from '../../data/program.ts'

export { isSource }

/** What Node is started with to run our code in another process. */
export const moduleUrl: readonly string[] = isSource ? ['--import', 'tsx'] : []

/** The address of a module in the form that runs. @param path of its source, from the top */
export const moduleAddress = (path: string): string => programModule(path).href
