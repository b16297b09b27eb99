<?php
namespace Whittle;

/** Files of an attachment on the disk, and the originals that are kept of them. */
final class Files {
	/** Originals lie in this folder below the uploads, under the same path. */
	const ORIGINALS = 'whittle-originals';

	/** Types that WordPress makes sizes of, with the format that the service knows. */
	const FORMATS = array(
		'image/jpeg' => 'jpeg',
		'image/png'  => 'png',
		'image/gif'  => 'gif',
		'image/webp' => 'webp',
	);

	/** Names of the files that pages show: the main one and every size. The untouched upload of a scaled image is not among them. */
	public static function names( int $id ): array {
		$main = get_attached_file( $id, true );
		if ( ! $main ) {
			return array();
		}
		$meta  = wp_get_attachment_metadata( $id, true );
		$sizes = is_array( $meta ) && isset( $meta['sizes'] ) && is_array( $meta['sizes'] ) ? $meta['sizes'] : array();
		$names = array_merge( array( wp_basename( $main ) ), array_column( $sizes, 'file' ) );
		// A size is a name without a folder, whatever the database says.
		return array_values( array_unique( array_map( 'wp_basename', $names ) ) );
	}

	/** Path of a file of an attachment. */
	public static function path( int $id, string $name ): string {
		return dirname( (string) get_attached_file( $id, true ) ) . '/' . $name;
	}

	/** Where the original of a file is kept; null for a file outside of the uploads. */
	public static function original( string $path ): ?string {
		$base = trailingslashit( wp_normalize_path( wp_upload_dir( null, false )['basedir'] ) );
		$path = wp_normalize_path( $path );
		if ( 0 !== strpos( $path, $base ) || false !== strpos( $path, '/../' ) ) {
			return null;
		}
		return $base . self::ORIGINALS . '/' . substr( $path, strlen( $base ) );
	}

	/** Format of a file by its first bytes; null for any other. */
	public static function format( string $path ): ?string {
		$type = wp_get_image_mime( $path );
		return $type ? ( self::FORMATS[ $type ] ?? null ) : null;
	}

	/** Writes a file whole or not at all, with the permissions of the file next to it. */
	public static function write( string $path, string $bytes, string $like ): bool {
		$temporary = $path . '.' . wp_generate_password( 8, false ) . '.tmp';
		$written   = @file_put_contents( $temporary, $bytes ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- false is handled.
		if ( strlen( $bytes ) !== $written ) {
			@unlink( $temporary ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- it may not be there.
			return false;
		}
		$mode = @fileperms( $like ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- false is handled.
		@chmod( $temporary, false === $mode ? 0644 : $mode & 0777 ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- some disks have no permissions.
		if ( rename( $temporary, $path ) ) {
			return true;
		}
		@unlink( $temporary ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- it may not be there.
		return false;
	}

	/** Keeps the original of a file, unless one is kept. */
	public static function keep( string $path ): bool {
		$original = self::original( $path );
		if ( null === $original ) {
			return false;
		}
		if ( is_file( $original ) ) {
			return true;
		}
		if ( ! wp_mkdir_p( dirname( $original ) ) ) {
			return false;
		}
		$bytes = file_get_contents( $path );
		return false !== $bytes && self::write( $original, $bytes, $path );
	}

	/** Removes the kept original of a file, if there is one. */
	public static function remove_original( string $path ): void {
		$original = self::original( $path );
		if ( null !== $original && is_file( $original ) ) {
			unlink( $original );
		}
	}

	/** Removes what was made next to a file. `$variants` are bytes by format; one of no bytes was not made by us. */
	public static function remove_variants( string $path, array $variants ): void {
		foreach ( array_keys( array_filter( $variants ) ) as $format ) {
			if ( is_file( "$path.$format" ) ) {
				unlink( "$path.$format" );
			}
		}
	}
}
