<?php
namespace Whittle;

/** An image that the service returned. */
final class Result {
	public string $bytes;
	public string $format;
	/** Images left to the account; null where it has no quota. */
	public ?int $quota_left;

	public function __construct( string $bytes, string $format, ?int $quota_left ) {
		$this->bytes      = $bytes;
		$this->format     = $format;
		$this->quota_left = $quota_left;
	}
}
