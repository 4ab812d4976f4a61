import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Database } from '../../data/database.ts'
import type { PasskeyRow, PasskeysTable } from '../../data/tables/passkeys.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireNewPasskey } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Clock } from '../time/clock.ts'

interface PasskeysDeps {
  database: Database
  passkeys: PasskeysTable
  members: MemberStore
  identity: { readonly name: string }
  clock: Clock
  random: RandomBytes
  newId: NewId
}

export interface PasskeyView {
  id: string
  label: string
  host: string
  createdAt: number
  lastUsedAt: number | null
}

const maxPerMember = 20
const maxLabelLength = 80
const challengeMs = 5 * 60 * 1000
const maxChallenges = 1000

/** Loaded on the first use of a passkey. */
const webAuthn = () => import('@simplewebauthn/server')

/** Passkeys (WebAuthn) work at one host name. The caller must check the request's origin. */
export class Passkeys {
  /** Unanswered challenges with their end, oldest first. Each can be used once. */
  private readonly challenges = new Map<string, number>()

  constructor(private readonly deps: PasskeysDeps) {}

  list({ member }: Caller): PasskeyView[] {
    return this.deps.passkeys.ofMember(member.id).map(({ id, label, host, createdMs, lastUsedMs }) => ({
      id,
      label,
      host,
      createdAt: createdMs,
      lastUsedAt: lastUsedMs,
    }))
  }

  /** @throws WorkspaceError `forbidden` for an old session; `bad_request` for an origin without a name */
  async creationOptions(caller: Caller, origin: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { clock, identity, passkeys } = this.deps
    const { member } = caller
    requireNewPasskey(caller, clock.now())
    const { generateRegistrationOptions } = await webAuthn()
    return generateRegistrationOptions({
      rpName: identity.name,
      rpID: requireHost(origin),
      userID: new Uint8Array(Buffer.from(member.id)),
      userName: member.name,
      userDisplayName: member.name,
      challenge: this.newChallenge(),
      excludeCredentials: passkeys.ofMember(member.id).map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  /** @throws WorkspaceError `forbidden`; `bad_request` for the response; `conflict` for one too many */
  async add(
    caller: Caller,
    origin: string,
    { response, label }: { response: object; label: string },
  ): Promise<void> {
    const { clock, database, newId, passkeys } = this.deps
    requireNewPasskey(caller, clock.now())
    requireLabel(label)
    const host = requireHost(origin)
    const { verifyRegistrationResponse } = await webAuthn()
    const { registrationInfo } = await verifyOrRefuse(() =>
      verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge: (challenge) => this.takeChallenge(challenge),
        expectedOrigin: origin,
        expectedRPID: host,
      }),
    )
    if (!registrationInfo) throw invalidPasskeyError()
    const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential
    await commitOrUnavailable(database, () => {
      if (passkeys.find(credentialId))
        throw new WorkspaceError('conflict', 'This passkey is already registered.')
      if (passkeys.ofMember(caller.member.id).length >= maxPerMember) throw tooManyPasskeysError()
      passkeys.insert({
        id: newId('pky'),
        memberId: caller.member.id,
        credentialId,
        publicKey,
        counter,
        transports,
        host,
        label,
        createdMs: clock.now(),
        lastUsedMs: null,
      })
    })
  }

  async remove({ member }: Caller, id: string): Promise<void> {
    const { database, passkeys } = this.deps
    const existed = await commitOrUnavailable(database, () => passkeys.remove(id, member.id))
    if (!existed) throw new WorkspaceError('not_found', 'This passkey has already been removed.')
  }

  async requestOptions(origin: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webAuthn()
    return generateAuthenticationOptions({
      rpID: requireHost(origin),
      challenge: this.newChallenge(),
      userVerification: 'required',
    })
  }

  /** @throws WorkspaceError `forbidden`, for a deactivated member as well */
  async authenticate(origin: string, response: object): Promise<Member> {
    const { clock, database, members, passkeys } = this.deps
    const { id } = response as Partial<AuthenticationResponseJSON>
    const row = typeof id === 'string' ? passkeys.find(id) : undefined
    const member = row ? members.find(row.memberId) : null
    if (!row || member?.status !== 'active') throw unknownPasskeyError()
    const { verifyAuthenticationResponse } = await webAuthn()
    const { verified: isValid, authenticationInfo } = await verifyOrRefuse(() =>
      verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        expectedChallenge: (challenge) => this.takeChallenge(challenge),
        expectedOrigin: origin,
        expectedRPID: row.host,
        credential: credentialOf(row),
      }),
    )
    if (!isValid) throw invalidPasskeyError()
    await commitOrUnavailable(database, () =>
      passkeys.touch(row.id, authenticationInfo.newCounter, clock.now()),
    )
    return member
  }

  private newChallenge(): Uint8Array<ArrayBuffer> {
    const { clock, random } = this.deps
    const challenge = new Uint8Array(random(32))
    const [oldest] = this.challenges.keys()
    if (oldest !== undefined && this.challenges.size >= maxChallenges) this.challenges.delete(oldest)
    this.challenges.set(Buffer.from(challenge).toString('base64url'), clock.now() + challengeMs)
    return challenge
  }

  private takeChallenge(challenge: string): boolean {
    const endsMs = this.challenges.get(challenge)
    this.challenges.delete(challenge)
    return endsMs !== undefined && this.deps.clock.now() < endsMs
  }
}

const credentialOf = ({ credentialId, publicKey, counter, transports }: PasskeyRow) => ({
  id: credentialId,
  publicKey: new Uint8Array(publicKey),
  counter,
  transports,
})

/** A passkey is bound to a name: browsers refuse one for an IP address. */
function requireHost(origin: string): string {
  const host = URL.canParse(origin) ? new URL(origin).hostname : ''
  if (host !== '' && isIP(host.replace(/^\[|\]$/g, '')) === 0) return host
  throw new WorkspaceError(
    'bad_request',
    'Passkeys need a host name: https, or http://localhost. Open this page there.',
  )
}

function requireLabel(label: string): void {
  if ([...label].length <= maxLabelLength && !/[\p{Cc}\p{Cs}]/u.test(label)) return
  throw new WorkspaceError(
    'bad_request',
    `The label of a passkey is one line of at most ${maxLabelLength} characters.`,
  )
}

/** The package throws for whatever is wrong with a response. */
async function verifyOrRefuse<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch {
    throw invalidPasskeyError()
  }
}

const invalidPasskeyError = () =>
  new WorkspaceError('forbidden', 'The passkey could not be checked. Try again, or sign in another way.')

const unknownPasskeyError = () =>
  new WorkspaceError('forbidden', 'This passkey is not registered here. Sign in another way.')

const tooManyPasskeysError = () =>
  new WorkspaceError('conflict', `A member has at most ${maxPerMember} passkeys. Remove one first.`)
