<?php
namespace Whittle;

/** Works on one attachment, one request at a time. What is done is recorded after each, so that a job can be interrupted. */
final class Job {
	private int $id;
	private array $settings;
	private array $data;

	public function __construct( int $id, array $settings ) {
		$this->id       = $id;
		$this->settings = $settings;
		$this->data     = Record::read( $id );
	}

	/**
	 * Sends one file in one format.
	 *
	 * @return bool|Problem true when nothing is left to do, false when something is, or a problem that concerns all images.
	 */
	public function step() {
		foreach ( Files::names( $this->id ) as $name ) {
			$path = Files::path( $this->id, $name );
			if ( ! is_file( $path ) ) {
				continue;
			}
			$formats = $this->missing( $name, $path );
			if ( $formats ) {
				return $this->make( $name, $path, $formats[0] ) ?? false;
			}
		}
		$this->finish();
		return true;
	}

	/** Formats of a file that were not asked for yet. The file itself is last: variants are made of its original. */
	private function missing( string $name, string $path ): array {
		$known = $this->data['files'][ $name ] ?? array();
		// Another program has replaced the file, such as a plug-in that makes thumbnails again.
		if ( isset( $known['hash'] ) && ! in_array( md5_file( $path ), array( $known['hash'], $known['next'] ?? '' ), true ) ) {
			$this->forget( $name, $path );
			$known = array();
		}
		$own = Files::format( $path );
		if ( null === $own ) {
			return array();
		}
		$wanted = array_diff( Settings::variants(), array( $own ), array_keys( $known['variants'] ?? array() ) );
		// The service makes no animated AVIF for everyone, and a still one would stop the animation.
		if ( 'gif' === $own ) {
			$wanted = array_diff( $wanted, array( 'avif' ) );
		}
		return array_merge( array_values( $wanted ), isset( $known['after'] ) ? array() : array( $own ) );
	}

	private function forget( string $name, string $path ): void {
		Files::remove_variants( $path, $this->data['files'][ $name ]['variants'] ?? array() );
		Files::remove_original( $path );
		unset( $this->data['files'][ $name ] );
	}

	private function make( string $name, string $path, string $format ): ?Problem {
		$original = Files::original( $path );
		$source   = null !== $original && is_file( $original ) ? $original : $path;
		$size     = (int) filesize( $source );
		$answer   = $size > Service::MAX_BYTES
			? new Problem( 'image', __( 'The file is larger than 50 MB.', 'whittle' ) )
			: Service::optimise( $this->settings, $source, $format );
		if ( $answer instanceof Problem && 'image' !== $answer->kind ) {
			return $answer;
		}
		$file           = &$this->data['files'][ $name ];
		$file['before'] = $size;
		if ( $answer instanceof Problem ) {
			$file['problem'] = $answer->message;
			if ( Files::format( $path ) === $format ) {
				$file['after'] = (int) filesize( $path );
			} else {
				$file['variants'][ $format ] = 0;
			}
		} elseif ( Files::format( $path ) === $format ) {
			// Recorded first: a process that ends after the replacement must not take the result for another program's file.
			$file['next'] = md5( $answer->bytes );
			Record::write( $this->id, $this->data );
			$problem = $this->replace( $path, $answer );
			unset( $file['next'] );
			clearstatcache( true, $path );
			$file['after'] = (int) filesize( $path );
			if ( null !== $problem ) {
				$file['problem'] = $problem;
			}
		} else {
			$file['variants'][ $format ] = $this->add( $path, $answer, $format );
		}
		$file['hash'] = md5_file( $path );
		Record::write( $this->id, $this->data );
		return null;
	}

	/** Replaces a file where the result is smaller, and keeps its original. Returns what went wrong. */
	private function replace( string $path, Result $result ): ?string {
		if ( Files::format( $path ) !== $result->format || strlen( $result->bytes ) >= filesize( $path ) ) {
			return null;
		}
		$before = getimagesize( $path );
		$after  = getimagesizefromstring( $result->bytes );
		if ( ! $before || ! $after || $before[0] !== $after[0] || $before[1] !== $after[1] ) {
			return __( 'The result has another size than the file, so the file stays.', 'whittle' );
		}
		if ( ! Files::keep( $path ) ) {
			return __( 'The original cannot be kept, so the file stays. Is the uploads folder writable, and is there space on the disk?', 'whittle' );
		}
		return Files::write( $path, $result->bytes, $path ) ? null : __( 'The file cannot be replaced. Is the uploads folder writable, and is there space on the disk?', 'whittle' );
	}

	/**
	 * Writes a variant next to its file. Returns its bytes, 0 where it is not there. A file of this name may be another upload, such as
	 * `photo.jpg.webp`, or another plug-in's: it stays. One with our bytes is of a process that was ended before it wrote the record.
	 */
	private function add( string $path, Result $result, string $format ): int {
		$variant = "$path.$format";
		if ( $result->format !== $format ) {
			return 0;
		}
		$is_there = is_file( $variant ) ? file_get_contents( $variant ) === $result->bytes : Files::write( $variant, $result->bytes, $path );
		return $is_there ? strlen( $result->bytes ) : 0;
	}

	/** Decides which formats are served: those that every file has, where they are smaller in sum. Others are removed. */
	private function finish(): void {
		$served = array();
		foreach ( array( 'avif', 'webp' ) as $format ) {
			$with = array_filter( $this->data['files'], static fn( $file ) => ( $file['variants'][ $format ] ?? 0 ) > 0 );
			$sum  = array_sum( array_map( static fn( $file ) => $file['variants'][ $format ], $with ) );
			if ( $with && count( $with ) === count( $this->data['files'] ) && $sum < array_sum( array_column( $with, 'after' ) ) ) {
				$served[] = $format;
				continue;
			}
			foreach ( $this->data['files'] as $name => $file ) {
				if ( isset( $file['variants'][ $format ] ) ) {
					Files::remove_variants( Files::path( $this->id, $name ), array( $format => $file['variants'][ $format ] ) );
					$this->data['files'][ $name ]['variants'][ $format ] = 0;
				}
			}
		}
		$this->data['served'] = $served;
		Record::write( $this->id, $this->data );
		Record::set_state( $this->id, '' === Record::problem( $this->data ) ? 'done' : 'failed' );
	}

	/** Puts every original back and removes what was made. Returns whether all files are back. */
	public static function restore( int $id ): bool {
		Queue::remove( $id );
		$data = Record::read( $id );
		$all  = true;
		foreach ( $data['files'] as $name => $file ) {
			$path = Files::path( $id, (string) $name );
			Files::remove_variants( $path, $file['variants'] ?? array() );
			$original = Files::original( $path );
			if ( null === $original || ! is_file( $original ) ) {
				continue;
			}
			$bytes = file_get_contents( $original );
			if ( false !== $bytes && Files::write( $path, $bytes, $original ) ) {
				unlink( $original );
			} else {
				$all = false;
			}
		}
		if ( $all ) {
			delete_post_meta( $id, Record::DATA );
			Record::set_state( $id, 'restored' );
		}
		return $all;
	}

	/** Removes everything that was made of an attachment. WordPress removes the attachment's own files. */
	public static function discard( int $id ): void {
		foreach ( Record::read( $id )['files'] as $name => $file ) {
			$path = Files::path( $id, (string) $name );
			Files::remove_variants( $path, $file['variants'] ?? array() );
			Files::remove_original( $path );
		}
	}
}
