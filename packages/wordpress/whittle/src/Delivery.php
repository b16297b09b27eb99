<?php
namespace Whittle;

/**
 * Serves WebP and AVIF by `<picture>`: the browser chooses, so page caches, CDNs and web servers need no rules.
 * `display: contents` keeps the layout of a theme as it is without the element.
 */
final class Delivery {
	const TYPES = array(
		'avif' => 'image/avif',
		'webp' => 'image/webp',
	);

	/** The whole tag: a quoted value may hold `>`. WordPress's own pattern cuts such a tag off, and it stays as it is. */
	const TAG = '/<img\s(?:[^>"\']|"[^"]*"|\'[^\']*\')*+>/i';

	/** An image that a theme has wrapped comes again, alone, when the content filter runs over the template. */
	const MARK = 'data-whittle';

	public static function connect(): void {
		add_filter( 'wp_content_img_tag', array( self::class, 'in_content' ), 99, 3 );
		add_filter( 'wp_get_attachment_image', array( self::class, 'in_theme' ), 99, 2 );
	}

	public static function in_content( $html, $context, $id ) {
		return self::wrap( (string) $html, (int) $id );
	}

	public static function in_theme( $html, $id ) {
		return self::wrap( (string) $html, (int) $id );
	}

	/** The image inside a `<picture>` with a source for each served format; unchanged where there is none. */
	public static function wrap( string $html, int $id ): string {
		if ( $id <= 0 || is_feed() || is_admin() || false !== stripos( $html, '<picture' ) || false !== strpos( $html, self::MARK ) || ! preg_match( self::TAG, $html, $found ) ) {
			return $html;
		}
		$data    = Record::read( $id );
		$sources = array_map( static fn( $format ) => self::source( $found[0], $data['files'], $format ), $data['served'] ?? array() );
		$sources = implode( '', array_filter( $sources ) );
		if ( '' === $sources ) {
			return $html;
		}
		$img = '<img ' . self::MARK . substr( $found[0], 4 );
		return str_replace( $found[0], "<picture style=\"display:contents\">$sources$img</picture>", $html );
	}

	/** A `<source>` element; null where one candidate has no file in this format. */
	private static function source( string $img, array $files, string $format ): ?string {
		$srcset = self::attribute( $img, 'srcset' ) ?? self::attribute( $img, 'src' );
		$sizes  = self::attribute( $img, 'sizes' );
		$made   = array();
		foreach ( preg_split( '/\s*,\s+/', trim( (string) $srcset ) ) as $candidate ) {
			list( $url, $descriptor ) = array_pad( preg_split( '/\s+/', $candidate, 2 ), 2, '' );
			$name                     = rawurldecode( wp_basename( (string) strtok( $url, '?' ) ) );
			if ( 0 === (int) ( $files[ $name ]['variants'][ $format ] ?? 0 ) ) {
				return null;
			}
			$made[] = trim( preg_replace( '/(\?|$)/', ".$format$1", $url, 1 ) . " $descriptor" );
		}
		return sprintf(
			'<source type="%s" srcset="%s"%s>',
			self::TYPES[ $format ],
			esc_attr( implode( ', ', $made ) ),
			null === $sizes ? '' : ' sizes="' . esc_attr( $sizes ) . '"'
		);
	}

	private static function attribute( string $img, string $name ): ?string {
		if ( ! preg_match( '/\s' . $name . '\s*=\s*("([^"]*)"|\'([^\']*)\')/i', $img, $found ) ) {
			return null;
		}
		return html_entity_decode( $found[3] ?? $found[2], ENT_QUOTES );
	}
}
