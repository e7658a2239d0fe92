import { LIMITS } from '../../contract/limits.ts'
import type { Command } from '../../domain/commands.ts'
import { carryOut } from '../carry-out.ts'
import { type Form, imageIn } from '../read-image.ts'
import { refuseFaults } from '../refusal.ts'
import type { Opened } from './opening.ts'

/** What a payer can do on a page, and the simulator's own buttons beside it. */
export async function act({ tenant, payment }: Opened, form: Form): Promise<void> {
  const id = payment.place.id
  const name = form.fields.get('act')
  switch (name) {
    case 'choose':
      await carryOut(tenant, chosen(id, form.fields), 'payer')
      return
    case 'receipt': {
      const received = imageIn(form)
      if ('fault' in received) throw refuseFaults([received.fault])
      const { bytes, digest, contentType } = received.image
      await tenant.images.put(digest, bytes)
      const upload = { digest, contentType, size: bytes.length }
      await carryOut(tenant, { type: 'SubmitReceipt', payment: id, image: { upload } }, 'payer')
      return
    }
    case 'succeed':
    case 'fail':
    case 'expire':
      await carryOut(tenant, { type: 'MovePayment', payment: id, trigger: name }, 'payer')
      return
    default:
      throw refuseFaults([{ field: 'act', message: 'is nothing that this page does' }])
  }
}

function chosen(payment: string, fields: ReadonlyMap<string, string>): Command {
  const given = (names: Record<string, string>) => {
    const entries = Object.entries(names).map(([key, name]) => [key, fields.get(name)?.trim() ?? ''] as const)
    const long = entries.find(([, value]) => [...value].length > LONGEST)
    if (long) throw refuseFaults([{ field: long[0], message: `must have at most ${LONGEST} characters` }])
    return Object.fromEntries(entries.filter(([, value]) => value !== ''))
  }
  return {
    type: 'ChooseMethod',
    payment,
    method: fields.get('method') ?? '',
    options: given({
      account_name: 'account_name',
      account_number: 'account_number',
      bank: 'bank',
      name_th: 'name_th',
    }),
    customer: given({ name: 'customer_name', phone: 'customer_phone' }),
  }
}

const LONGEST = LIMITS.textLength
