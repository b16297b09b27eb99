<?php
// Uses what an example has set up as its reader would, and fails where nothing comes of it.
function expect(bool $holds, string $what): void {
    if (!$holds) throw new RuntimeException("Expected $what.");
}

if (isset($filters['wp_generate_attachment_metadata'])) {
    copy('photo.png', 'photo-150x150.png');
    $before = filesize('photo.png');
    $metadata = ['file' => 'photo.png', 'sizes' => ['thumbnail' => ['file' => 'photo-150x150.png']]];
    $after = $filters['wp_generate_attachment_metadata']($metadata, 7);
    clearstatcache();
    expect($after === $metadata, 'the metadata as they were');
    foreach (['photo.png', 'photo-150x150.png'] as $file) {
        expect(filesize($file) < $before, "a smaller $file");
        expect(getimagesize($file)['mime'] === 'image/png', "a PNG as $file");
    }
    expect(glob('*.whittle') === [], 'nothing left behind');
}

if (isset($filters['wp_get_attachment_image_src'])) {
    $image = $filters['wp_get_attachment_image_src'](['https://shop.example/a.jpg', 300, 200, true]);
    expect(str_ends_with($image[0], '/wordpress/300x200/https://shop.example/a.jpg'), 'the address of a 300x200 image, not ' . $image[0]);
    expect($filters['wp_get_attachment_image_src'](false) === false, 'no address where there is no image');
    $sources = $filters['wp_calculate_image_srcset']([640 => ['url' => 'https://shop.example/a.jpg', 'descriptor' => 'w', 'value' => 640]]);
    expect(str_ends_with($sources[640]['url'], '/wordpress/640/https://shop.example/a.jpg'), 'the address of an image 640 wide');
}

if (isset($signature)) {
    $address = shell_exec("whittle accounts sign shop $options $source");
    expect(str_contains($address, "sig=$signature/"), "the signature of $address, not $signature");
}
