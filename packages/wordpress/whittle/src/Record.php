<?php
namespace Whittle;

/**
 * What is known of one attachment, kept in its post meta:
 * `_whittle_state`: done, failed or restored; absent before the first run.
 * `_whittle_due`: only there while the attachment waits in the queue (see Queue).
 * `_whittle`: array with `files`, by name below the attachment's folder:
 *   [ 'before' => bytes, 'after' => bytes, 'hash' => of the file that we left, 'next' => hash of a result that is about to
 *   replace it, 'variants' => [ 'webp' => bytes ], 'problem' => text ].
 *   `served`: formats whose files are delivered.
 */
final class Record {
	const STATE = '_whittle_state';
	const DATA  = '_whittle';

	public static function state( int $id ): string {
		return (string) get_post_meta( $id, self::STATE, true );
	}

	public static function set_state( int $id, string $state ): void {
		update_post_meta( $id, self::STATE, $state );
	}

	public static function read( int $id ): array {
		$data = get_post_meta( $id, self::DATA, true );
		return is_array( $data ) ? $data : array( 'files' => array() );
	}

	public static function write( int $id, array $data ): void {
		// update_post_meta() removes slashes.
		update_post_meta( $id, self::DATA, wp_slash( $data ) );
	}

	/** Removes files with a problem from the record, so that they are tried again. Their variants stay in it: add() replaces no unknown file. */
	public static function retry( int $id ): void {
		$data   = self::read( $id );
		$failed = array_filter( $data['files'], static fn( $file ) => isset( $file['problem'] ) );
		foreach ( $failed as $name => $file ) {
			$made = array_filter( $file['variants'] ?? array() );
			unset( $data['files'][ $name ] );
			if ( $made ) {
				$data['files'][ $name ] = array( 'variants' => $made ) + array_intersect_key( $file, array_flip( array( 'before', 'hash', 'next' ) ) );
			}
		}
		if ( $failed ) {
			self::write( $id, $data );
		}
	}

	/** Gives an attachment up with a problem of no single file. What is known of its files stays, so that they can be restored. */
	public static function fail( int $id, string $problem ): void {
		$data                = self::read( $id );
		$data['files']['']   = array( 'problem' => $problem );
		self::write( $id, $data );
		self::set_state( $id, 'failed' );
	}

	/** Bytes before and after, of all files of an attachment. */
	public static function sums( array $data ): array {
		$files = $data['files'] ?? array();
		return array( array_sum( array_column( $files, 'before' ) ), array_sum( array_column( $files, 'after' ) ) );
	}

	/** The first problem of its files, or ''. */
	public static function problem( array $data ): string {
		return (string) ( array_values( array_filter( array_column( $data['files'] ?? array(), 'problem' ) ) )[0] ?? '' );
	}
}
