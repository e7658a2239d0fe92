import type { NextAction } from '../../../contract/resources.ts'
import { LinkButton } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Away } from '../ui/time.tsx'

/** What the payer must do now. */
export function NextActionPanel({ action }: { action: NextAction | null }) {
  const expiry = action && 'expires_at' in action ? <Expiry at={action.expires_at} /> : undefined
  return (
    <Panel title="Next action" aside={expiry}>
      {action ? <Shown action={action} /> : <p class="muted">The payer has nothing to do now.</p>}
    </Panel>
  )
}

const Expiry = ({ at }: { at: string }) => (
  <span class="muted">
    ends <Away at={at} />
  </span>
)

function Shown({ action }: { action: NextAction }) {
  switch (action.type) {
    case 'redirect_to_url':
      return (
        <div class="stack">
          <p class="muted">The payer opens this page in a browser.</p>
          <Copyable text={action.url} what="the address" />
          <div>
            <LinkButton href={action.url} icon="outside" outside>
              Open as the payer
            </LinkButton>
          </div>
        </div>
      )
    case 'display_qr_code':
      return (
        <div class="qr">
          {action.qr_image_data_url && <img src={action.qr_image_data_url} alt="QR code for this payment" />}
          <div class="stack">
            <p class="muted">The payer scans this with a banking app.</p>
            <Copyable text={action.qr_data} what="the QR payload" />
          </div>
        </div>
      )
    case 'display_bank_transfer_instructions':
      return (
        <Facts
          facts={[
            ['Bank', action.bank.label],
            ['Account name', action.account.name],
            ['Account number', <Copyable text={action.account.number} what="the account number" />],
            ['Reference', <Copyable text={action.reference} what="the reference" />],
          ]}
        />
      )
  }
}
