import module from 'node:module'

/**
 * Loaded first in each process of tests, by the `NODE_OPTIONS` of `.taprc`. For coverage, which is not measured here, tap
 * records all modules that a process and its threads load, in threads of its own, which makes the start of a process cost two
 * thirds more. It has each Node process that a test starts do so, too, and takes part in how that ends. Without the two lines
 * that turn this off, a test would not run what runs where Workroom is installed.
 */
module.register = () => {}
Object.assign(globalThis, { [Symbol.for('@tapjs/processinfo.ProcessInfoNodeData')]: { files: [] } })
delete process.env.NODE_OPTIONS
