/** The calls of GitHub's REST API that the action makes. */

/** A pull request as the event of a workflow names it. */
export interface PullRequest {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
}

interface Call {
  readonly api: string
  readonly token: string
}

export interface GitHub {
  /** Paths of files that the pull request adds or changes. */
  readonly changedFiles: (of: PullRequest) => Promise<readonly string[]>
  /** Id of the comment that begins with `marker`, of a program or a member; undefined where there is none. */
  readonly findComment: (of: PullRequest, marker: string) => Promise<number | undefined>
  /** Writes a comment, or replaces the one with this id. */
  readonly comment: (of: PullRequest, body: string, id: number | undefined) => Promise<void>
}

/** GitHub answered with an error; `status` is that of HTTP. */
export class GitHubError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const PER_PAGE = 100
interface Comment {
  readonly id: number
  readonly body?: string
  readonly user?: { readonly type?: string } | null
  readonly author_association?: string
}

const MEMBERS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

/** Whether a comment is from a program or a member. Anyone else can write a comment that begins with our marker, and edit it later. */
const isTrusted = ({ user, author_association: association = '' }: Comment): boolean =>
  user?.type === 'Bot' || MEMBERS.has(association)

/** GitHub lists at most 3,000 files of a pull request. */
const MAX_PAGES = 30

const call = async <Body>({ api, token }: Call, path: string, init: RequestInit = {}): Promise<Body> => {
  const response = await fetch(`${api}${path}`, {
    ...init,
    headers: {
      Accept: 'application/vnd.github+json',
      Authorization: `Bearer ${token}`,
      'X-GitHub-Api-Version': '2022-11-28',
      'User-Agent': 'whittle-action',
    },
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new GitHubError(response.status, `GitHub answered ${response.status} to ${path}`)
  return (await response.json()) as Body
}

const pagesOf = async <Item>(to: Call, path: string): Promise<readonly Item[]> => {
  const items: Item[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await call<Item[]>(to, `${path}?per_page=${PER_PAGE}&page=${page}`)
    items.push(...found)
    if (found.length < PER_PAGE) break
  }
  return items
}

/** Opens the API at an address, `https://api.github.com` for example. */
export const openGitHub = (to: Call): GitHub => ({
  changedFiles: async ({ repository, number }) => {
    const files = await pagesOf<{ filename: string; status: string }>(to, `/repos/${repository}/pulls/${number}/files`)
    return files.filter(({ status }) => status !== 'removed' && status !== 'unchanged').map(({ filename }) => filename)
  },
  findComment: async ({ repository, number }, marker) => {
    const comments = await pagesOf<Comment>(to, `/repos/${repository}/issues/${number}/comments`)
    return comments.find((comment) => comment.body?.startsWith(marker) && isTrusted(comment))?.id
  },
  comment: async ({ repository, number }, body, id) => {
    const path = id === undefined ? `issues/${number}/comments` : `issues/comments/${id}`
    const method = id === undefined ? 'POST' : 'PATCH'
    await call(to, `/repos/${repository}/${path}`, { method, body: JSON.stringify({ body }) })
  },
})
