<?php
namespace Whittle;

/** REST routes of the settings and bulk pages, for administrators. */
final class Rest {
	const SPACE = 'whittle/v1';

	public static function connect(): void {
		add_action(
			'rest_api_init',
			static function (): void {
				foreach ( array( 'test', 'start', 'pause', 'resume', 'work', 'status' ) as $name ) {
					register_rest_route(
						self::SPACE,
						"/$name",
						array(
							'methods'             => 'POST',
							'callback'            => array( self::class, $name ),
							'permission_callback' => static fn() => current_user_can( 'manage_options' ),
						)
					);
				}
			}
		);
	}

	/** Sends a small image with the settings of the form, which need not be saved. */
	public static function test( \WP_REST_Request $request ): array {
		$fixed    = is_multisite() && current_user_can( 'manage_network_options' ) ? Settings::by_constant() : Settings::fixed();
		$settings = array_merge( Settings::all(), Settings::clean( $request->get_json_params() ), $fixed );
		return Connection::test( $settings );
	}

	public static function start(): array {
		Queue::add_all();
		Worker::resume();
		return Bulk_Page::status();
	}

	public static function pause(): array {
		Worker::pause();
		return Bulk_Page::status();
	}

	public static function resume(): array {
		Worker::resume();
		return Bulk_Page::status();
	}

	/** Works for a few seconds, so that an open page makes progress where wp-cron cannot run. */
	public static function work(): array {
		Worker::run( 4 );
		return Bulk_Page::status();
	}

	public static function status(): array {
		return Bulk_Page::status();
	}
}
