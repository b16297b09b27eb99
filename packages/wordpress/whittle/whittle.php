<?php
/**
 * Plugin Name: Whittle
 * Description: Makes every image as small as it can be at a guaranteed perceived quality, by your own Whittle service. Originals are kept.
 * Version: 0.1.0
 * Requires at least: 6.0
 * Requires PHP: 7.4
 * License: MIT
 * Text Domain: whittle
 * Network: false
 *
 * This file loads the classes of src/ and connects them with WordPress's hooks.
 */

namespace Whittle;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';

spl_autoload_register(
	static function ( string $name ): void {
		if ( strncmp( $name, __NAMESPACE__ . '\\', 8 ) !== 0 ) {
			return;
		}
		$file = __DIR__ . '/src/' . substr( $name, 8 ) . '.php';
		if ( is_file( $file ) ) {
			require $file;
		}
	}
);

Queue::connect();
Worker::connect();
Delivery::connect();
Rest::connect();
if ( is_admin() ) {
	Settings_Page::connect( plugin_dir_url( __FILE__ ) );
	Bulk_Page::connect( plugin_dir_url( __FILE__ ) );
	Media_Column::connect();
	Notices::connect();
}
if ( defined( 'WP_CLI' ) && WP_CLI ) {
	\WP_CLI::add_command( 'whittle', Cli::class );
}
