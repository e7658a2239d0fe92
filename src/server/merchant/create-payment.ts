import { createHash } from 'node:crypto'
import { isCountry } from '../../contract/countries.ts'
import type { Contract } from '../../contract/decisions.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { type CreatePaymentRequest, createPaymentBody } from '../../contract/requests.ts'
import { type Validator, validator } from '../../contract/validation.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type JsonObject, readJson } from '../read-body.ts'
import { demandNoProblems } from '../refusal.ts'
import { answerPayment } from './answer.ts'
import { readNulls, unknownMembers } from './body-members.ts'
import type { Handler } from './handler.ts'
import { idempotency, readKey } from './idempotency-key.ts'

export const createPayment: Handler = async call => {
  const { request, contract } = call
  const body = await readJson(request.carrier)
  const mode = contract['create.idempotency']
  const { key, problems: keyProblems } =
    mode === 'off' ? { key: undefined, problems: [] } : readKey(request, { required: mode === 'required' })
  const given = readNulls(contract, body)
  demandNoProblems([
    ...keyProblems,
    ...checkOf(contract)(given),
    ...unknownMembers(contract, request, given, createPaymentBody(contract)),
    ...crossProblems(given),
  ])
  return answerPayment(call, {
    type: 'CreatePayment',
    request: given as CreatePaymentRequest,
    idempotency: idempotency(request, key, () => digestOf(canonicalJson(body))),
  })
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

const checks = new WeakMap<Contract, Validator>()
function checkOf(contract: Contract): Validator {
  let check = checks.get(contract)
  if (!check) {
    check = validator(createPaymentBody(contract))
    checks.set(contract, check)
  }
  return check
}

/** The rules between fields, and others that the schema cannot express. */
function crossProblems(body: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { checkout_mode, payment_method, payment_method_options, return_url, country } = body
  if (checkout_mode === 'merchant' && payment_method === undefined)
    problems.push({ field: 'payment_method', message: 'is required in merchant mode' })
  if (payment_method_options !== undefined && payment_method === undefined)
    problems.push({ field: 'payment_method_options', message: 'is allowed only with payment_method' })
  if (checkout_mode === 'merchant' && return_url !== undefined)
    problems.push({ field: 'return_url', message: 'is allowed only in hosted mode' })
  else if (typeof return_url === 'string' && !isWebAddress(return_url))
    problems.push({ field: 'return_url', message: 'must be an absolute http or https URL' })
  if (typeof country === 'string' && /^[A-Z]{2}$/.test(country) && !isCountry(country))
    problems.push({ field: 'country', message: `is not an assigned ISO 3166-1 code: ${country}` })
  return problems
}

function isWebAddress(text: string): boolean {
  // The URL parser corrects mistakes as a browser does, but the stored text must be valid itself.
  return /^https?:\/\/[^\s/?#\\]/i.test(text) && !hasControlOrSpace(text) && URL.canParse(text)
}

const hasControlOrSpace = (text: string) => /[\s\p{Cc}]/u.test(text)
