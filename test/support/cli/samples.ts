/** Bodies as an API might send them, with values that are hard to align or that must not reach a terminal. */
const times = { created_at: '2026-11-21T15:00:03.123Z', updated_at: '2026-11-21T15:17:00.000Z' }

const payment = {
  id: 'pi_0cRk3mWq8xYtJz5LbV2nHdPf',
  object: 'payment_intent',
  amount: '123450',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  environment: 'test',
  merchant_reference: 'ค่าน้ำประจำเดือน 🧾 #42',
  payment_method: 'th_promptpay',
  status: 'pending',
  processing_reason: null,
  receipt: null,
  failure_code: null,
  failure_message: null,
  ...times,
}

export const QR_DATA = '00020101021229370016A000000677010111011300668123456785802TH530376454071234.5063041234'

export const qrPayment = {
  ...payment,
  next_action: {
    type: 'display_qr_code',
    qr_data: QR_DATA,
    qr_image_url: 'https://api.example.com/v1/qr/pi_0cRk3mWq8xYtJz5LbV2nHdPf.png',
    qr_image_data_url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`,
  },
  metadata: { 'a b': '\u001b[2J\u009b31mboo\u202egnp.exe', tier: 3 },
}

export const transferPayment = {
  ...payment,
  payment_method: 'th_bank_transfer',
  next_action: {
    type: 'display_bank_transfer_instructions',
    bank: { code: 'kbank', label: 'ธนาคารกสิกรไทย' },
    account: {
      name: 'บริษัท น้ำดี จำกัด (มหาชน) ผู้รับชำระเงินแทนร้านค้าออนไลน์',
      number: '123-4-56789-0',
      branch: '0001',
    },
    reference: 'PS42X7',
    expires_at: '2026-11-21T15:35:03.000Z',
  },
  receipt: {
    status: 'rejected',
    failure_code: 'receipt_rejected',
    failure_message: 'Amount is not legible; please send a sharper image of the whole slip',
  },
}

export const redirectPayment = {
  ...payment,
  checkout_mode: 'hosted',
  payment_method: null,
  return_url: 'https://shop.example/thanks?order=42',
  next_action: {
    type: 'redirect_to_url',
    url: `https://pay.example.com/checkout/pi_0cRk3mWq8xYtJz5LbV2nHdPf?signature=${'a1b2c3d4'.repeat(8)}`,
    expires_at: '2026-11-21T15:50:00.000Z',
  },
}

export const failedPayment = {
  ...payment,
  status: 'failed',
  next_action: null,
  failure_code: 'payment_cancelled',
  failure_message: 'The payment was cancelled',
}

const payout = (
  place: number,
  status: string,
  [amount, currency]: readonly [string, string],
  holder_name: string,
) => ({
  id: `po_${String(place).padStart(24, '0')}`,
  object: 'payout_intent',
  amount,
  currency,
  country: 'TH',
  environment: 'test',
  merchant_reference: `เงินเดือน-${place}`,
  status,
  recipient: { type: 'bank_account', bank_code: 'kbank', holder_name, account_last4: '1234' },
  failure_code: status === 'failed' ? 'account_closed' : null,
  failure_message: status === 'failed' ? 'The account is closed' : null,
  ...times,
})

export const payouts = {
  data: [
    payout(1, 'requires_approval', ['123450', 'THB'], 'สมชาย ใจดี'),
    payout(2, 'processing', ['5000000', 'VND'], 'Nguyễn Văn An'),
    payout(3, 'succeeded', ['1234567', 'KWD'], '日本商店'),
    payout(4, 'failed', ['99', 'THB'], '👩‍👩‍👧 Family Shop 🇹🇭'),
    payout(5, 'on_hold', ['250', 'POINTS'], '=HYPERLINK("https://evil.example")'),
  ],
  has_more: true,
  next_cursor: 'c_2',
}

export const failedPayout = { ...payouts.data[3], cancel_reason: 'ผิดบัญชี' }

const payer = (...required: string[]) =>
  Object.fromEntries(
    ['account_name', 'account_number', 'bank', 'customer_name', 'customer_phone', 'name_th'].map(field => [
      field,
      { required: required.includes(field) },
    ]),
  )

export const methods = {
  country: 'TH',
  currency: 'THB',
  environment: 'test',
  methods: [
    {
      category: 'bank_transfer',
      code: 'th_bank_transfer',
      label: 'โอนเงินผ่านธนาคาร',
      next_action_types: ['display_bank_transfer_instructions'],
      options: {
        banks: [
          { code: 'bbl', label: 'ธนาคารกรุงเทพ' },
          { code: 'kbank', label: 'Kasikornbank' },
          { code: 'scb', label: 'ไทยพาณิชย์ SCB' },
          { code: 'baac', label: 'Bank for Agriculture and Agricultural Cooperatives' },
        ],
        payer: payer('bank', 'customer_name'),
      },
    },
    {
      category: 'wallet',
      code: 'th_promptpay',
      label: 'PromptPay QR 🇹🇭',
      next_action_types: ['display_qr_code', 'open_app'],
      options: { payer: payer() },
    },
  ],
}
