<?php
/** The functions of WordPress that the plug-in's queue uses, in memory, on the uploads folder `$argv[1]`: for tests that need no server. */

define( 'ABSPATH', '/' );
define( 'Whittle\\VERSION', '0' );
define( 'UPLOADS', $argv[1] );
$GLOBALS['meta']    = array();
$GLOBALS['options'] = array( 'whittle_settings' => array( 'url' => 'http://service', 'account' => 'blog', 'avif' => false ) );
$GLOBALS['sent']    = array();

/** What the service answers to the options of a request: replaced by a test. */
$GLOBALS['answer'] = static fn( string $url ): string => throw new Error( "unexpected request: $url" );

/** What another plug-in does when post meta is updated: replaced by a test. */
$GLOBALS['update_hook'] = static fn() => null;

spl_autoload_register( static fn( string $name ) => require dirname( __DIR__, 2 ) . '/packages/wordpress/whittle/src/' . substr( $name, 8 ) . '.php' );

/** The tables that are asked by SQL: the lock among the options, and the queue among the meta data in the order of insertion. */
$GLOBALS['wpdb'] = new class() {
	public $options  = 'options';
	public $postmeta = 'postmeta';
	public $posts    = 'posts';
	public function prepare( $sql, ...$values ) {
		return array( $sql, $values );
	}
	public function query( $statement ) {
		list( $sql, $values ) = $statement;
		$lock                 = $GLOBALS['options']['whittle_lock'] ?? null;
		$is_granted           = 0 === strpos( $sql, 'INSERT IGNORE' ) ? null === $lock : $lock < end( $values );
		if ( $is_granted ) {
			$GLOBALS['options']['whittle_lock'] = time() + 90;
		}
		return (int) $is_granted;
	}
	public function update() {}
	public function get_var() {
		foreach ( $GLOBALS['meta'] as list( $id, $key ) ) {
			if ( '_whittle_due' === $key ) {
				return $id;
			}
		}
		return null;
	}
};

function add_post_meta( $id, $key, $value ) {
	$GLOBALS['meta'][] = array( $id, $key, $value );
}
function update_post_meta( $id, $key, $value ) {
	( $GLOBALS['update_hook'] )( $key, $value );
	foreach ( $GLOBALS['meta'] as &$row ) {
		if ( $row[0] === $id && $row[1] === $key ) {
			$row[2] = $value;
			return;
		}
	}
	add_post_meta( $id, $key, $value );
}
function get_post_meta( $id, $key ) {
	foreach ( $GLOBALS['meta'] as $row ) {
		if ( $row[0] === $id && $row[1] === $key ) {
			return $row[2];
		}
	}
	return '';
}
function delete_post_meta( $id, $key ) {
	$GLOBALS['meta'] = array_values( array_filter( $GLOBALS['meta'], static fn( $row ) => $row[0] !== $id || $row[1] !== $key ) );
}
function get_option( $name, $default = false ) {
	return $GLOBALS['options'][ $name ] ?? $default;
}
function update_option( $name, $value ) {
	$GLOBALS['options'][ $name ] = $value;
}
function delete_option( $name ) {
	unset( $GLOBALS['options'][ $name ] );
}
function get_attached_file( $id ) {
	return UPLOADS . "/photo-$id.jpg";
}
function wp_upload_dir() {
	return array( 'basedir' => UPLOADS );
}
function wp_get_image_mime( $path ) {
	return mime_content_type( $path );
}
function wp_mkdir_p( $path ) {
	return is_dir( $path ) || mkdir( $path, 0777, true );
}
function wp_remote_post( $url ) {
	return array( 'body' => ( $GLOBALS['answer'] )( $url ) );
}
function wp_remote_retrieve_response_code( $response ) {
	return 200;
}
function wp_remote_retrieve_body( $response ) {
	return $response['body'];
}
function wp_remote_retrieve_header( $response, $name ) {
	return 'content-type' === $name ? ( new finfo( FILEINFO_MIME_TYPE ) )->buffer( $response['body'] ) : '';
}
function wp_get_attachment_metadata( $id ) {
	return array();
}
function wp_basename( $path ) {
	return basename( $path );
}
function wp_normalize_path( $path ) {
	return $path;
}
function trailingslashit( $path ) {
	return "$path/";
}
function wp_generate_password() {
	return bin2hex( random_bytes( 4 ) );
}
function wp_slash( $value ) {
	return $value;
}
function __( $text ) {
	return $text;
}
function is_multisite() {
	return false;
}
function is_wp_error( $value ) {
	return false;
}
function has_action() {
	return true;
}
function wp_clear_scheduled_hook() {}
function wp_schedule_single_event() {}
function wp_cache_delete() {}
function is_feed() {
	return false;
}
function is_admin() {
	return false;
}
function esc_attr( $text ) {
	return htmlspecialchars( $text, ENT_QUOTES );
}
