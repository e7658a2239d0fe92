import { useEffect } from 'preact/hooks'
import { AccountPages } from './pages/account-pages.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { Shell } from './shell/shell.tsx'
import { checkSession, session } from './state/api.ts'
import { live } from './state/live.ts'
import { addressOf, go, place } from './state/router.ts'
import { useLive } from './state/use-live.ts'
import { Boundary } from './ui/boundary.tsx'
import { ErrorNote } from './ui/page.tsx'
import { Toasts } from './ui/toast.tsx'

export function App() {
  useEffect(() => {
    checkSession().catch(() => {
      session.value = 'out'
    })
  }, [])
  return (
    <>
      <Boundary>
        {session.value === 'in' ? <SignedIn /> : session.value === 'out' ? <SignIn /> : null}
      </Boundary>
      <Toasts />
    </>
  )
}

function SignedIn() {
  const merchants = useLive('GET /merchants', {})
  const { account, page } = place.value
  const accounts = merchants.data?.data.flatMap(merchant => merchant.accounts) ?? []
  const known = accounts.some(({ id }) => id === account)
  const [first] = accounts

  useEffect(() => {
    live.follow(known ? account : null)
    return () => live.follow(null)
  }, [account, known])
  useEffect(() => {
    if (merchants.data && account === null && first) go(addressOf(first.id, page), { replace: true })
  }, [merchants.data, account])

  if (merchants.error && !merchants.data) return <ErrorNote error={merchants.error} />
  if (!merchants.data || account === null) return null
  return (
    <Shell merchants={merchants.data.data} account={known ? account : null}>
      {known ? <AccountPages account={account} key={account} /> : <UnknownAccount name={account} />}
    </Shell>
  )
}

function UnknownAccount({ name }: { name: string }) {
  return (
    <div class="empty">
      <h1>There is no account {name}</h1>
      <p>It may have been removed, or it belongs to another server. The menu lists all accounts.</p>
    </div>
  )
}
