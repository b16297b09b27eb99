/* The settings page's connection test, and the bulk page's progress. */
;(({ apiFetch, i18n }) => {
  const { __, sprintf } = i18n
  const byId = (id) => document.getElementById(id)
  const post = (route, data = {}) => apiFetch({ path: `/whittle/v1/${route}`, method: 'POST', data })

  const notice = (kind, text) => {
    const box = document.createElement('div')
    box.className = `notice notice-${kind} inline`
    box.append(Object.assign(document.createElement('p'), { textContent: text }))
    return box
  }

  const connectTest = (form) => {
    const button = byId('whittle-test')
    const result = byId('whittle-test-result')
    button.addEventListener('click', async () => {
      const values = Object.fromEntries(
        [...new FormData(form)].flatMap(([name, value]) => {
          const key = /^whittle_settings\[(\w+)\]$/.exec(name)?.[1]
          return key ? [[key, value]] : []
        }),
      )
      button.disabled = true
      result.replaceChildren(notice('info', __('An image is sent to the service …', 'whittle')))
      try {
        const { ok, message } = await post('test', values)
        result.replaceChildren(notice(ok ? 'success' : 'error', message))
      } catch (error) {
        result.replaceChildren(notice('error', error.message))
      }
      button.disabled = false
    })
  }

  const size = (bytes) => {
    const units = ['B', 'kB', 'MB', 'GB']
    const power = Math.min(3, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
    return `${(bytes / 1000 ** power).toFixed(power > 0 ? 1 : 0)} ${units[power]}`
  }

  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

  const showFailures = (failures) => {
    if (failures.length === 0) return byId('whittle-failures').replaceChildren()
    const list = document.createElement('ul')
    for (const { title, link, reason } of failures) {
      const item = document.createElement('li')
      const name = Object.assign(document.createElement('a'), { textContent: title || '?', href: link || '#' })
      item.append(name, `: ${reason}`)
      list.append(item)
    }
    const heading = Object.assign(document.createElement('h2'), { textContent: __('Images with a problem', 'whittle') })
    byId('whittle-failures').replaceChildren(heading, list)
  }

  const showProblem = (status, settings) => {
    const problem = byId('whittle-problem')
    if (!status.ready) {
      const box = notice('warning', __('Enter the address of the service and the account first. ', 'whittle'))
      box.firstChild.append(
        Object.assign(document.createElement('a'), { href: settings, textContent: __('Settings', 'whittle') }),
      )
      problem.replaceChildren(box)
    } else if (status.problem) {
      const next = sprintf(
        /* translators: %d: seconds */ __('The next try is in %d seconds.', 'whittle'),
        status.problem.seconds,
      )
      problem.replaceChildren(notice('warning', `${status.problem.message} ${next}`))
    } else problem.replaceChildren()
  }

  const showBulk = (status, settings) => {
    const { all, waiting, done, failed, restored, saved, paused, ready, problem } = status
    const rest = all - waiting - done - failed - restored
    const isFinished = waiting === 0
    byId('whittle-progress').value = all === 0 ? 0 : (all - waiting - Math.max(0, rest)) / all
    byId('whittle-figures').textContent =
      sprintf(/* translators: 1: done, 2: all */ __('%1$d of %2$d images are optimised', 'whittle'), done, all) +
      (waiting > 0 ? sprintf(/* translators: %d: images */ __(', %d wait', 'whittle'), waiting) : '') +
      (failed > 0 ? sprintf(/* translators: %d: images */ __(', %d have a problem', 'whittle'), failed) : '') +
      (restored > 0 ? sprintf(/* translators: %d: images */ __(', %d are restored', 'whittle'), restored) : '') +
      (paused && !isFinished ? __('. Paused; new uploads wait too.', 'whittle') : '.')
    byId('whittle-savings').textContent =
      saved[0] === 0
        ? ''
        : sprintf(
            /* translators: 1: bytes before, 2: bytes after, 3: percentage */
            __('%1$s became %2$s: %3$d %% less. WebP and AVIF save more where browsers accept them.', 'whittle'),
            size(saved[0]),
            size(saved[1]),
            Math.round((1 - saved[1] / saved[0]) * 100),
          )
    byId('whittle-start').hidden = !isFinished || (rest <= 0 && failed === 0)
    byId('whittle-start').disabled = !ready
    byId('whittle-pause').hidden = isFinished || paused
    byId('whittle-resume').hidden = isFinished || !(paused || problem)
    showProblem(status, settings)
    showFailures(status.failures)
  }

  /** Works and shows until the queue is empty; the clicks of the user come in between. */
  const connectBulk = (root) => {
    const { settings } = root.dataset
    let status = JSON.parse(root.dataset.status)
    const update = (next) => {
      status = next
      showBulk(status, settings)
    }
    const fail = (error) => byId('whittle-problem').replaceChildren(notice('error', error.message))
    for (const name of ['start', 'pause', 'resume'])
      byId(`whittle-${name}`).addEventListener('click', () => post(name).then(update, fail))
    const loop = async () => {
      for (;;) {
        const isActive = status.waiting > 0 && !status.paused && (status.problem?.seconds ?? 0) === 0
        try {
          const asked = status.paused
          const next = await post(isActive ? 'work' : 'status')
          // A click during the request knows better.
          if (status.paused === asked) update(next)
        } catch (error) {
          fail(error)
        }
        await wait(isActive ? 1000 : 2000)
      }
    }
    update(status)
    void loop()
  }

  const form = byId('whittle-settings')
  if (form) connectTest(form)
  const bulk = byId('whittle-bulk')
  if (bulk) connectBulk(bulk)
})(window.wp)
