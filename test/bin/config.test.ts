import t from 'tap'
import { type ConfigSources, readConfig, unknownVariableWarnings } from '../../bin/config.ts'
import { settings } from '../../bin/settings.ts'
import { defaultConfig } from '../../core/config.ts'

const read = (sources: Partial<ConfigSources>) =>
  readConfig({ flags: {}, environment: {}, file: null, ...sources })

function refusal(sources: Partial<ConfigSources>): string {
  try {
    read(sources)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

t.test('every setting has a default', async (t) => {
  t.same(read({}), defaultConfig)
  t.same(read({ file: '' }), defaultConfig)
  t.same(read({ file: '# all as it is\nsmtp:\n' }), defaultConfig)
  t.same(
    read({ environment: { WORKROOM_PORT: '', PATH: '/bin' } }),
    defaultConfig,
    'an empty variable counts as not set',
  )
})

t.test('reading a configuration leaves the defaults unchanged', async (t) => {
  const config = read({ flags: { port: '1' } })
  t.not(config.limits, defaultConfig.limits)
  t.equal(defaultConfig.port, 4747)
})

t.test('flags take precedence over variables, and variables over the file', async (t) => {
  const file = 'port: 1\nhost: file.example\nlog: { level: warn }'
  const environment = { WORKROOM_PORT: '2', WORKROOM_HOST: 'variable.example' }
  t.match(read({ file }), { port: 1, host: 'file.example', log: { level: 'warn' } })
  t.match(read({ file, environment }), { port: 2, host: 'variable.example', log: { level: 'warn' } })
  t.match(read({ file, environment, flags: { port: '3' } }), { port: 3, host: 'variable.example' })
})

t.test('every setting can be given in the file', async (t) => {
  const file = `
port: 8080
host: 0.0.0.0
publicUrl: https://work.example/
timeZone: Europe/Berlin
trustProxy: true
disk: { member: Ada, uids: { 1000: grace, 1001: mem_01 }, private: false }
outbound: { allow: [10.0.0.0/8, agents.example] }
smtp: { host: mail.example, port: 465, user: u, password: p, from: w@example.org, secure: true, delaySeconds: 0 }
repositories: { roots: [/srv/git] }
limits: { requestsPerMinute: 600, markdownBytes: 1048576, uploadBytes: 2048 }
log: { level: debug }
`
  t.same(read({ file }), {
    port: 8080,
    host: '0.0.0.0',
    publicUrl: 'https://work.example',
    timeZone: 'Europe/Berlin',
    trustProxy: true,
    disk: { member: 'Ada', uids: { 1000: 'grace', 1001: 'mem_01' }, private: false },
    outbound: { allow: ['10.0.0.0/8', 'agents.example'] },
    smtp: {
      host: 'mail.example',
      port: 465,
      user: 'u',
      password: 'p',
      from: 'w@example.org',
      secure: true,
      delaySeconds: 0,
    },
    repositories: { roots: ['/srv/git'] },
    limits: { requestsPerMinute: 600, markdownBytes: 1048576, uploadBytes: 2048 },
    log: { level: 'debug' },
  })
})

t.test('settings can be given as environment variables', async (t) => {
  const environment = {
    WORKROOM_PORT: '8080',
    WORKROOM_HOST: '::1',
    WORKROOM_PUBLIC_URL: 'https://work.example/team/',
    WORKROOM_TRUST_PROXY: 'true',
    WORKROOM_TIME_ZONE: 'Pacific/Auckland',
    WORKROOM_DISK_MEMBER: 'Ada',
    WORKROOM_DISK_PRIVATE: 'no',
    WORKROOM_DISK_UIDS: '1000=grace, 1001=mem_01',
    WORKROOM_OUTBOUND_ALLOW: '10.0.0.0/8, agents.example',
    WORKROOM_SMTP_HOST: 'mail.example',
    WORKROOM_SMTP_FROM: 'w@example.org',
    WORKROOM_SMTP_DELAY_SECONDS: '0',
    WORKROOM_REPOSITORIES_ROOTS: '/srv/git',
    WORKROOM_LIMITS_REQUESTS_PER_MINUTE: '600',
    WORKROOM_LIMITS_MARKDOWN_BYTES: '4096',
    WORKROOM_LOG_LEVEL: 'error',
  }
  t.match(read({ environment }), {
    port: 8080,
    host: '::1',
    publicUrl: 'https://work.example/team',
    timeZone: 'Pacific/Auckland',
    trustProxy: true,
    disk: { member: 'Ada', uids: { 1000: 'grace', 1001: 'mem_01' }, private: false },
    outbound: { allow: ['10.0.0.0/8', 'agents.example'] },
    smtp: { host: 'mail.example', from: 'w@example.org', delaySeconds: 0 },
    repositories: { roots: ['/srv/git'] },
    limits: { requestsPerMinute: 600, markdownBytes: 4096 },
    log: { level: 'error' },
  })
})

t.test('an error names every wrong setting, what it expects and where it was set', async (t) => {
  const message = refusal({
    flags: { port: 'eighty' },
    environment: { WORKROOM_PUBLIC_URL: 'work.example', WORKROOM_DISK_UIDS: 'ada' },
    file: 'trustProxy: maybe\nlimits: { markdownBytes: -1 }\nlog: { level: loud }\nrepositories: /srv',
  })
  for (const part of [
    'port (--port) must be a whole number from 0 to 65535, not "eighty"',
    'publicUrl (WORKROOM_PUBLIC_URL) must be an http or https address, not "work.example"',
    'disk.uids (WORKROOM_DISK_UIDS) must be a member by numeric user id, such as 1000=Ada, not "ada"',
    'trustProxy (workroom.yaml) must be true or false, not "maybe"',
    'limits.markdownBytes (workroom.yaml) must be a whole number of bytes, at least 1024, not -1',
    'log.level (workroom.yaml) must be one of silent, error, warn, info, debug, not "loud"',
    'repositories (workroom.yaml) must be a map of settings',
  ]) {
    t.ok(message.includes(part), part)
  }
  t.notMatch(message, /\n/, 'the message is one line')
})

t.test('an unknown key in the file is named', async (t) => {
  const message = refusal({ file: 'prot: 1\nsmtp: { hots: x }\n__proto__: { port: 1 }' })
  t.match(message, /workroom\.yaml sets prot, which is not a setting/)
  t.match(message, /workroom\.yaml sets smtp\.hots, which is not a setting/)
  t.match(message, /sets __proto__/)
})

t.test('a file that is not a YAML map is refused, and a syntax error is named with its line', async (t) => {
  t.match(refusal({ file: '- a\n- b' }), /must be a map of settings/)
  t.match(refusal({ file: 'port: 1\nport: 2' }), /not valid YAML in line 2/)
  t.match(refusal({ file: 'a: [1\nb' }), /not valid YAML in line/)
})

t.test('an error never shows a password', async (t) => {
  const message = refusal({ file: 'smtp: { password: { secret: hunter2 } }' })
  t.match(message, /smtp\.password/)
  t.notMatch(message, /hunter2/)
})

t.test('sending mail requires a valid sender address', async (t) => {
  t.match(refusal({ environment: { WORKROOM_SMTP_HOST: 'mail.example' } }), /smtp\.from must be set/)
  const sentFrom = (from: string) => ({ environment: { WORKROOM_SMTP_FROM: from } })
  for (const from of [
    'w@example.org',
    'Workroom <w@example.org>',
    '<w@example.org>',
    'Büro <w@example.org>',
  ]) {
    t.equal(read(sentFrom(from)).smtp.from, from)
  }
  for (const from of ['Workroom', 'w@', 'a@b, c@d', 'A, B <w@example.org>', 'A\nBcc: x <w@example.org>']) {
    t.match(refusal(sentFrom(from)), /smtp\.from .* must be a mail address/, from)
  }
})

t.test('invalid entries of outbound.allow are named', async (t) => {
  const message = refusal({ file: 'outbound: { allow: [10.1.2.3/8, agents.example, "*.example"] }' })
  t.match(message, 'outbound.allow has "10.1.2.3/8", which does not begin with its first address')
  t.match(message, 'outbound.allow has "*.example", which has a *')
  t.notMatch(message, /agents\.example/)
  const environment = { WORKROOM_OUTBOUND_ALLOW: '127.0.0.1:9000, http://agents.example' }
  t.match(refusal({ environment }), 'outbound.allow has "http://agents.example", which is a whole address')
})

t.test('every setting has a variable, a default and a description', async (t) => {
  const variables = settings.map(({ variable }) => variable)
  t.equal(new Set(variables).size, variables.length)
  for (const { key, variable, fallback, description: meaning } of settings) {
    t.match(variable, /^WORKROOM_[A-Z_]+$/)
    t.not(fallback, undefined, key)
    t.match(meaning, /\.$/)
  }
})

t.test('a WORKROOM_ variable that is not a setting is named, with the closest setting', async (t) => {
  const environment = {
    WORKROOM_PUBLICURL: 'https://work.example',
    WORKROOM_COLOUR: 'green',
    WORKROOM_LIMIT_UPLOAD_BYTES: '1',
    WORKROOM_PORT: '1',
    WORKROOM_HOME: '/srv/workroom',
    WORKROOM_KEY: 'wr_x',
    HOME: '/root',
  }
  t.strictSame(unknownVariableWarnings(environment), [
    'The variable WORKROOM_COLOUR is not a setting and has no effect. docs/operations.md lists the settings.',
    'The variable WORKROOM_LIMIT_UPLOAD_BYTES is not a setting and has no effect. Did you mean WORKROOM_LIMITS_UPLOAD_BYTES?',
    'The variable WORKROOM_PUBLICURL is not a setting and has no effect. Did you mean WORKROOM_PUBLIC_URL?',
  ])
})
