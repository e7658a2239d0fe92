import type { Contract } from '../../decisions.ts'
import { list } from '../../schema.ts'
import { PAYMENT_TRIGGERS } from '../../statuses.ts'
import { page } from '../overview.ts'
import { AssetRecord, PageOfShop, ProviderCallRecord, paymentRecord } from '../payments.ts'
import { FailureReason, MethodChoice } from '../requests.ts'
import { type ControlOperations, LIST_QUERY, moves } from './operation.ts'

/** Payments, with the images and the calls that belong to them. */
export function paymentOperations(contract: Contract | 'any') {
  const PaymentRecord = paymentRecord(contract)
  return {
    'GET /accounts/:account/payments': {
      id: 'listPayments',
      summary: 'List payments, newest first',
      query: LIST_QUERY,
      answers: { 200: page(PaymentRecord) },
    },
    'GET /accounts/:account/payments/:id': {
      id: 'readPayment',
      summary: 'Read a payment with what the merchant API does not show',
      answers: { 200: PaymentRecord },
    },
    ...moves('POST /accounts/:account/payments/:id', PAYMENT_TRIGGERS, 'payment', {
      body: { json: FailureReason, optional: true },
      answers: { 200: PaymentRecord },
      errors: ['invalid_state'],
    }),
    'POST /accounts/:account/payments/:id/choose': {
      id: 'chooseMethod',
      summary: 'Choose a method as the payer does on the hosted page',
      body: { json: MethodChoice },
      answers: { 200: PaymentRecord },
      errors: [
        'invalid_state',
        'payment_configuration_unavailable',
        'routing_unavailable',
        'provider_capability_unsupported',
      ],
    },
    'POST /accounts/:account/payments/:id/receipt': {
      id: 'sendReceipt',
      summary: 'Send a receipt as the payer does on the hosted page',
      body: { form: { file: 'A JPEG or PNG image' }, required: ['file'] },
      answers: { 200: PaymentRecord },
      errors: ['invalid_state', 'provider_capability_unsupported'],
    },
    'POST /accounts/:account/payments/:id/return': {
      id: 'returnToShop',
      summary: "Open the return_url once, as the payer's browser does",
      answers: { 200: PageOfShop },
      errors: ['invalid_state'],
    },
    'GET /accounts/:account/provider-calls': {
      id: 'listProviderCalls',
      summary: 'List what the gateway asked of the simulated provider',
      answers: { 200: list(ProviderCallRecord) },
    },
    'POST /accounts/:account/assets': {
      id: 'uploadAsset',
      summary: 'Upload an image',
      body: { form: { file: 'A JPEG or PNG image', kind: 'payment_receipt or other' }, required: ['file'] },
      answers: { 201: AssetRecord },
    },
    'GET /accounts/:account/assets': {
      id: 'listAssets',
      summary: 'List the uploaded images',
      answers: { 200: list(AssetRecord) },
    },
    'GET /accounts/:account/images/:digest': {
      id: 'readImage',
      summary: 'Read an image, by the SHA-256 of its bytes',
      answers: { 200: { media: ['image/jpeg', 'image/png'] } },
    },
  } as const satisfies ControlOperations
}
