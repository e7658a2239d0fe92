import { useState } from 'preact/hooks'
import type { KeyPairRecord } from '../../../contract/control/merchants.ts'
import { addressOfCall, call } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Copyable } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Facts, Panel, Table } from '../ui/panel.tsx'

/** The account's merchant and keys. */
export function AccountPage({ account }: { account: string }) {
  const merchantId = account.replace(/\.(test|live)$/, '')
  const merchant = useLive('GET /merchants/:id', { params: { id: merchantId } })
  const [resetting, setResetting] = useState(false)
  const reset = async () => {
    await call('POST /accounts/:account/reset', { params: { account } })
    toast('The account is empty; its keys are the same')
  }
  return (
    <Page
      title="Account"
      actions={
        <>
          <a
            class="button plain"
            href={addressOfCall('GET /accounts/:account/export', { params: { account } })}
            download={`${account}.json`}
          >
            Export
          </a>
          <Button tone="danger" onPress={() => setResetting(true)}>
            Reset…
          </Button>
        </>
      }
    >
      <Panel title="Merchant">
        <Ready of={merchant}>
          {({ name, id, checkout_modes }) => (
            <Facts
              facts={[
                ['Name', name],
                ['ID', id],
                ['Account', account],
                ['Team policy allows', checkout_modes.join(', ') || 'none'],
              ]}
            />
          )}
        </Ready>
      </Panel>
      <Keys account={account} />
      {resetting && (
        <FormDialog
          title={`Reset ${account}`}
          action="Reset"
          tone="danger"
          onClose={() => setResetting(false)}
          onSubmit={reset}
        >
          <p>
            This permanently deletes all its payments, payouts, webhooks and requests. It keeps its keys and
            the rules that it was created with.
          </p>
        </FormDialog>
      )}
    </Page>
  )
}

function Keys({ account }: { account: string }) {
  const params = { account }
  const keys = useLive('GET /accounts/:account/keys', { params })
  const add = async () => {
    await call('POST /accounts/:account/keys', { params })
    keys.reload()
  }
  const revoke = async (key: string) => {
    await call('DELETE /accounts/:account/keys/:key', { params: { account, key } })
    toast('Revoked: the next request with it is refused')
    keys.reload()
  }
  return (
    <Panel
      title="API keys"
      flush
      aside={
        <Button icon="plus" onPress={add}>
          Add a key pair
        </Button>
      }
    >
      <Ready of={keys}>
        {({ data }) => (
          <Table<KeyPairRecord>
            caption="API keys"
            rows={data}
            keyOf={({ public_key }) => public_key}
            columns={[
              {
                title: 'Public key',
                cell: ({ public_key }) => <Copyable text={public_key} what="the public key" />,
              },
              { title: 'Secret key', cell: ({ secret_key }) => <Hidden text={secret_key} /> },
              {
                title: 'Actions',
                hiddenTitle: true,
                align: 'end',
                cell: ({ public_key }) => (
                  <Button tone="danger" onPress={() => revoke(public_key)}>
                    Revoke
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Ready>
    </Panel>
  )
}

/** A secret is hidden until the user asks for it. */
function Hidden({ text }: { text: string }) {
  const [shown, setShown] = useState(false)
  if (shown) return <Copyable text={text} what="the secret key" />
  return (
    <span class="copyable">
      <code>{text.slice(0, 8)}••••••••••••</code>
      <Button tone="ghost" icon="eye" label="Show the secret key" onPress={() => setShown(true)} />
    </span>
  )
}
