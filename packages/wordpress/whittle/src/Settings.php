<?php
namespace Whittle;

/**
 * Settings of a site. A constant of wp-config.php comes first, then the site's own setting, then the network's, then the default.
 * In a network the address and the account are the network's: administrators of a site may not send requests into its LAN.
 */
final class Settings {
	const OPTION = 'whittle_settings';

	const DEFAULTS = array(
		'url'     => '',
		'account' => '',
		'quality' => 'medium',
		'webp'    => true,
		'avif'    => true,
		'uploads' => true,
	);

	const QUALITIES = array( 'low', 'medium', 'high', 'lossless' );

	/** Constants that set a value for all sites. */
	const CONSTANTS = array(
		'url'     => 'WHITTLE_URL',
		'account' => 'WHITTLE_ACCOUNT',
	);

	/** Every setting of this site. */
	public static function all(): array {
		return array_merge( self::DEFAULTS, self::of_network(), self::own(), self::fixed() );
	}

	/** Settings that the site itself has saved. */
	public static function own(): array {
		return array_intersect_key( (array) get_option( self::OPTION, array() ), self::DEFAULTS );
	}

	/** Settings that sites of a network start from. */
	public static function of_network(): array {
		return is_multisite() ? array_intersect_key( (array) get_site_option( self::OPTION, array() ), self::DEFAULTS ) : array();
	}

	/** Settings that a site cannot change. */
	public static function fixed(): array {
		$of_network = array_merge( self::DEFAULTS, self::of_network() );
		return array_merge( is_multisite() ? array_intersect_key( $of_network, self::CONSTANTS ) : array(), self::by_constant() );
	}

	/** Settings that wp-config.php fixes. */
	public static function by_constant(): array {
		$fixed = array();
		foreach ( self::CONSTANTS as $name => $constant ) {
			if ( defined( $constant ) ) {
				$fixed[ $name ] = (string) constant( $constant );
			}
		}
		return $fixed;
	}

	/** Whether there is a service to send images to. */
	public static function are_complete(): bool {
		$all = self::all();
		return '' !== $all['url'] && '' !== $all['account'];
	}

	/** Formats that are made next to each file, the best first. */
	public static function variants(): array {
		$all = self::all();
		return array_values( array_filter( array( 'avif', 'webp' ), static fn( $format ) => (bool) $all[ $format ] ) );
	}

	/** What a form sent, as it is stored. Unknown names and wrong values are left out. */
	public static function clean( $sent ): array {
		$sent    = is_array( $sent ) ? $sent : array();
		$url     = esc_url_raw( trim( (string) ( $sent['url'] ?? '' ) ), array( 'http', 'https' ) );
		$account = trim( (string) ( $sent['account'] ?? '' ) );
		$quality = (string) ( $sent['quality'] ?? '' );
		return array(
			'url'     => untrailingslashit( $url ),
			'account' => preg_match( '/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/D', $account ) ? $account : '',
			'quality' => in_array( $quality, self::QUALITIES, true ) ? $quality : self::DEFAULTS['quality'],
			'webp'    => ! empty( $sent['webp'] ),
			'avif'    => ! empty( $sent['avif'] ),
			'uploads' => ! empty( $sent['uploads'] ),
		);
	}
}
