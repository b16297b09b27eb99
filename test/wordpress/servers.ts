/** MariaDB, PHP-FPM and nginx of the system, as children on loopback, with a fresh WordPress in a directory of its own. */
import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { endChild, findProgram, freePort, run, startChild, until } from '../cluster/servers/process.ts'

const isRoot = userInfo().uid === 0
const PLUGIN = resolve(import.meta.dirname, '../../packages/wordpress/whittle')
/** Where Debian's packages put the program and its themes. */
const PROGRAM = '/usr/share/wordpress'
const CONTENT = '/var/lib/wordpress/wp-content'

export interface WordPress extends AsyncDisposable {
  readonly url: string
  readonly directory: string
  /** Runs PHP inside of WordPress, as root of the machine; returns what it prints. */
  readonly php: (code: string) => Promise<string>
}

const startDatabase = async (directory: string) => {
  const data = join(directory, 'mysql')
  const socket = join(directory, 'mysql.sock')
  const install = findProgram('mariadb-install-db', 'mariadb-server')
  const user = isRoot ? ['--user=root'] : []
  await run(install, ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', ...user])
  const args = ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking', ...user]
  // The machine does not fail: nothing has to reach the disk.
  const child = startChild(findProgram('mariadbd', 'mariadb-server'), [...args, '--innodb-flush-log-at-trx-commit=0'])
  const client = findProgram('mariadb', 'mariadb-client')
  const query = (text: string) => run(client, ['--no-defaults', `--socket=${socket}`, '-uroot', '-e', text])
  await until(() => query('create database wordpress character set utf8mb4'))
  return { socket, stop: () => endChild(child) }
}

const startPhp = async (directory: string) => {
  const [version] = (await readdir('/usr/sbin')).filter((name) => name.startsWith('php-fpm'))
  const program = findProgram(version ?? 'php-fpm', 'php-fpm')
  const socket = join(directory, 'php.sock')
  const user = isRoot ? 'user = root\ngroup = root\n' : ''
  await writeFile(
    join(directory, 'fpm.conf'),
    `[global]
error_log = ${directory}/php.log
[www]
${user}listen = ${socket}
pm = static
pm.max_children = 6
catch_workers_output = yes
php_admin_value[upload_max_filesize] = 64M
php_admin_value[post_max_size] = 64M
php_admin_value[error_log] = ${directory}/php-errors.log
php_admin_flag[log_errors] = on
`,
  )
  const child = startChild(program, ['-F', '-y', join(directory, 'fpm.conf'), ...(isRoot ? ['-R'] : [])])
  return { socket, stop: () => endChild(child) }
}

const startWeb = async (directory: string, root: string, phpSocket: string, port: number) => {
  const config = join(directory, 'nginx.conf')
  await writeFile(
    config,
    `${isRoot ? 'user root;' : ''}
daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/nginx.log;
events {}
http {
  include /etc/nginx/mime.types;
  access_log off;
  client_max_body_size 64m;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    index index.php;
    rewrite ^(/[^/]+)?(/wp-.*) $2;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      include /etc/nginx/fastcgi_params;
      # The port is part of the address of a test.
      fastcgi_param HTTP_HOST $http_host;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_pass unix:${phpSocket};
    }
  }
}
`,
  )
  const child = startChild(findProgram('nginx', 'nginx-light'), ['-c', config, '-e', join(directory, 'nginx.log')])
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readme.html`)).text())
  return { stop: () => endChild(child) }
}

const configuration = (socket: string, url: string, more: string): string => `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
foreach (['AUTH_KEY','SECURE_AUTH_KEY','LOGGED_IN_KEY','NONCE_KEY','AUTH_SALT','SECURE_AUTH_SALT','LOGGED_IN_SALT','NONCE_SALT'] as $name) define($name, 'test');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('WP_INSTALLING') && php_sapi_name() === 'cli') { $_SERVER['HTTP_HOST'] = '${new URL(url).host}'; $_SERVER['REQUEST_URI'] = '/'; }
${more}
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require ABSPATH . 'wp-settings.php';
`

const INSTALL = `define('WP_INSTALLING', true); $_SERVER['HTTP_HOST'] = '%host%'; $_SERVER['REQUEST_URI'] = '/';
require 'wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Test', 'admin', 'admin@example.com', true, '', 'secret'); update_option('siteurl', '%url%'); update_option('home', '%url%');`

const MAKE_NETWORK = `define('WP_INSTALLING_NETWORK', true); $_SERVER['HTTP_HOST'] = '%host%'; $_SERVER['REQUEST_URI'] = '/';
require 'wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php'; foreach ($wpdb->tables('ms_global') as $name => $table) $wpdb->$name = $table;
install_network(); $result = populate_network(1, '%host%', 'admin@example.com', 'Network', '/', false); if (is_wp_error($result)) echo $result->get_error_message();`

const NETWORK = (
  host: string,
) => `define('WP_ALLOW_MULTISITE', true); define('MULTISITE', true); define('SUBDOMAIN_INSTALL', false);
define('DOMAIN_CURRENT_SITE', '${host}'); define('PATH_CURRENT_SITE', '/'); define('SITE_ID_CURRENT_SITE', 1); define('BLOG_ID_CURRENT_SITE', 1);`

/** Starts a WordPress, alone or as a network, whose user admin has the password "secret". The plug-in lies in its folder `withPlugin`. */
export const startWordPress = async ({ network = false, withPlugin = true } = {}): Promise<WordPress> => {
  const directory = await mkdtemp(join(tmpdir(), 'whittle-wordpress-'))
  await chmod(directory, 0o755)
  if (isRoot) await chown(directory, 0, 0)
  const root = join(directory, 'site')
  await run('cp', ['-rL', PROGRAM, root])
  await rm(join(root, 'wp-content'), { recursive: true })
  await run('cp', ['-rL', CONTENT, join(root, 'wp-content')])
  await mkdir(join(root, 'wp-content/uploads'), { recursive: true })
  if (withPlugin) await cp(PLUGIN, join(root, 'wp-content/plugins/whittle'), { recursive: true })
  const database = await startDatabase(directory)
  const php = await startPhp(directory)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const host = new URL(url).host
  const configure = (more: string) => writeFile(join(root, 'wp-config.php'), configuration(database.socket, url, more))
  const runPhp = (code: string): Promise<string> =>
    new Promise((done, reject) => {
      const child = execFile(
        'php',
        ['-d', 'memory_limit=512M'],
        { cwd: root, maxBuffer: 1e8 },
        (error, stdout, stderr) =>
          error === null ? done(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
      )
      child.stdin?.end(`<?php ${code}`)
    })
  const filled = (code: string) => runPhp(code.replaceAll('%host%', host).replaceAll('%url%', url))
  await configure('')
  await filled(INSTALL)
  if (network) {
    const problem = await filled(MAKE_NETWORK)
    if (problem !== '') throw new Error(problem)
    await configure(NETWORK(host))
  }
  const web = await startWeb(directory, root, php.socket, port)
  return {
    url,
    directory: root,
    php: (code) => runPhp(`require 'wp-load.php'; require_once ABSPATH . 'wp-admin/includes/admin.php'; ${code}`),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([web.stop(), php.stop(), database.stop()])
      if (process.env['KEEP_WORDPRESS'] === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}
